"""Judges the JSON Schema of scenes: scene_schema.py SCHEMA FILE...  Exit status 77: jsonschema or yaml is not installed."""
import copy
import json
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    sys.exit(77)

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
judge = jsonschema.Draft202012Validator(schema)

scenes = {}
for path in sys.argv[2:]:
    with open(path) as file:
        scenes[path] = yaml.safe_load(file)
    for error in judge.iter_errors(scenes[path]):
        sys.exit(f"{path}: refused at {list(error.absolute_path)}: {error.message}")

# A schema that takes everything would pass up to here: these must be refused.
good = next(scene for path, scene in scenes.items() if path.endswith("everything.yaml"))


def spoilt(change):
    scene = copy.deepcopy(good)
    change(scene)
    return scene


bad = {
    "no version": spoilt(lambda s: s.pop("scree")),
    "version 2": spoilt(lambda s: s.update(scree=2)),
    "unknown key": spoilt(lambda s: s.update(gravitty=9.81)),
    "unknown key of a body": spoilt(lambda s: s["bodies"][0].update(colour="red")),
    "two shapes": spoilt(lambda s: s["bodies"][0]["shape"].update(box={"size": [1, 1, 1]})),
    "a vector of two": spoilt(lambda s: s["bodies"][0].update(position=[1, 2])),
    "a negative radius": spoilt(lambda s: s["bodies"][0]["shape"]["sphere"].update(radius=-1)),
    "rolling without a unit": spoilt(lambda s: s["materials"]["stone"].update(rolling=0.01)),
    "a word for a number": spoilt(lambda s: s["run"].update(until="soon")),
    "an unknown word": spoilt(lambda s: s["stepper"].update(scheme="euler")),
    "no region": spoilt(lambda s: s["generators"][1]["packing"].pop("region")),
    "theta too small": spoilt(lambda s: s["stepper"].update(theta=0.1)),
}
for name, scene in bad.items():
    if judge.is_valid(scene):
        sys.exit(f"the schema takes a scene with a mistake: {name}")
print(f"schema: {len(scenes)} scenes taken, {len(bad)} spoilt ones refused")
