/* frame_option.h: the option --frame of the commands that look at one frame of a run. */
#ifndef SCREE_CLI_DRAW_FRAME_OPTION_H
#define SCREE_CLI_DRAW_FRAME_OPTION_H

#include <scree/result.h>

/// The frame that `text` names: a number from 0, "last", or NULL for the last. Returns CLI_GO_ON, or an exit status after a message: there
/// is no such frame, or the run (in `folder`) has none.
int frame_option(const char *command, const char *folder, const scree_result *result, const char *text, int *frame);

/// CLI_GO_ON, or CLI_BAD_INPUT after a message: the run has no frames.
int frame_option_any(const char *folder, const scree_result *result);

#endif
