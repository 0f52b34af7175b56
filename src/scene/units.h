/* units.h: numbers with units, as people write them: "45 mm", "2500 kg/m^3", "800 1/s", "0.02 r". A plain number is SI. */
#ifndef SCREE_UNITS_H
#define SCREE_UNITS_H

#include <stddef.h>

/// Exponents of the base dimensions. The radian is one of them here, so that 5 deg is no plain number; `radius` marks a ratio of the
/// radius of the body ("0.02 r"), `reduced` one of the reduced radius of a contact ("0.1 r_eff").
typedef struct unit_dims {
    signed char length, mass, time, angle, radius, reduced;
} unit_dims;

enum { UNIT_BASES = 6 };

/// What a value of a scene can be.
typedef enum quantity {
    QUANTITY_NUMBER = 0,
    QUANTITY_LENGTH,
    QUANTITY_MASS,
    QUANTITY_TIME,
    QUANTITY_ANGLE,
    QUANTITY_RATIO,   /* of the radius                         */
    QUANTITY_REDUCED, /* of the reduced radius of a contact   */
    QUANTITY_VELOCITY,
    QUANTITY_ACCELERATION,
    QUANTITY_SPIN,
    QUANTITY_FREQUENCY,
    QUANTITY_FORCE,
    QUANTITY_MOMENT,
    QUANTITY_PRESSURE,
    QUANTITY_DENSITY,
    QUANTITY_STIFFNESS,
    QUANTITY_INERTIA,
    QUANTITY_PER_MASS,
    QUANTITY_CURVATURE,
    QUANTITY_DAMPING,        /* force over velocity            */
    QUANTITY_TURN_DAMPING,   /* moment over angular velocity   */
    QUANTITY_MOBILITY,       /* velocity over force            */
    QUANTITY_TURN_STIFFNESS, /* moment over angle            */
    QUANTITY_AREA,
    QUANTITY_COUNT,
    QUANTITY_INHERITED = QUANTITY_COUNT /* that of the field which holds the object */
} quantity;

typedef struct quantity_info {
    unit_dims dims;
    const char *name;    /* "a length"  */
    const char *example; /* "45 mm"     */
    const char *si;      /* "m"         */
} quantity_info;

const quantity_info *quantity_get(quantity q);

/// The quantity that has these dimensions; QUANTITY_COUNT: none that has a name.
quantity quantity_of(unit_dims dims);

/// 1 if a value of dimension `found` may stand where `expected` is asked for: the same dimension, or 1/s for rad/s.
int quantity_takes(quantity expected, unit_dims found);

/// Name of a dimension with its article: "an angle"; "a quantity in kg m^2 s^-1" where it has none. Returns `buffer` or a literal.
const char *unit_dims_name(unit_dims dims, char *buffer, size_t size);

typedef struct unit_value {
    double value; /* in SI                                  */
    int has_unit; /* 0: a plain number, whatever it means   */
    unit_dims dims;
} unit_value;

typedef enum unit_fault {
    UNIT_OK = 0,
    UNIT_NO_NUMBER, /* does not start with a number          */
    UNIT_RANGE,     /* too large or too small for a double   */
    UNIT_UNKNOWN,   /* no such unit: `word`                  */
    UNIT_SYNTAX,    /* not a product of units                */
    UNIT_AMBIGUOUS, /* "N/kg m": (N/kg) m or N/(kg m)?        */
    UNIT_COMMA      /* 1,5                                   */
} unit_fault;

typedef struct unit_problem {
    unit_fault fault;
    char word[24]; /* the unknown unit */
} unit_problem;

/// The known unit nearest to a mistyped word, one of the expected quantity if there is any; NULL: none is near.
const char *unit_suggest(const char *word, quantity expected);

/// Reads a number and, where there is one, its unit: products, quotients and powers of units, with prefixes. The SI value is the double
/// nearest to the decimal that was meant: "45 mm" gives the bits of 0.045.
unit_fault unit_parse(const char *text, unit_value *value, unit_problem *problem);

#endif
