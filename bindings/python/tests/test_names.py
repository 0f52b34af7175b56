"""The package against the public headers: what C has, Python has."""

import dataclasses
import enum
import inspect
import keyword
import re
import typing

import numpy as np
import pytest

import scree
from scree import _core, _names

# C functions without a Python counterpart, and why.
UNBOUND = {
    "scree_step": "Stepper.step is scree_advance by 1",
    "scree_ledger_lost": "a sum of five fields",
    "scree_world_read": "positions, contacts and the others read by themselves",
    "scree_world_add_fixed": "World.add_body with kind fixed",
    "scree_body_def_of": "the keywords of World.add_body",
    "scree_simulation_step": "Simulation.step is scree_simulation_advance by 1",
    "scree_error_set": "exceptions",
    "scree_set_assert_handler": "arguments are checked before C is called",
    "scree_assert_failed": "the same",
    "scree_allocator_default": "pools",
    "scree_pool_": "`threads` of the options",
    "scree_outcome_name": "Outcome",
    "scree_shape_kind_name": "ShapeKind",
    "scree_scheme_name": "Scheme",
    "scree_joint_kind_name": "JointKind",
    "scree_mode_make": "mode_classify, mode_name",
    "scree_map_fischer_burmeister": "for writers of solvers in C",
    "scree_rigid_def_default": "Problem.create with Ht and inv_mass",
    "scree_problem_from_rigid": "the same",
    "scree_contact_of": "Contact with W and q",
    "scree_problem_read": "Problem.read is scree_problem_read_as",
    "scree_problem_vector": "numpy arrays",
    "scree_problem_vector_free": "the same",
    "scree_solver_class_find": "solvers()",
    "scree_solver_register": "for writers of solvers in C",
    "scree_solver_method_default": "the same",
    "scree_monitor_": "the same",
    "scree_geometry_retain": "worlds do that",
    "scree_world_add_geometry": "checkpoints",
    "scree_world_material": "pair",
    "scree_world_pair_dem": "mixed by the library; set_pair_dem is there",
    "scree_frame_of_world": "World has the same arrays",
    "scree_result_shape_count": "Frame.shape",
    "scree_result_shapes": "the same",
    "scree_result_shape_bodies": "Frame.shape_body",
    "scree_result_joint_count": "Frame.joint",
    "scree_result_joints": "the same",
    "scree_run_scene": "Simulation.run is scree_run_next up to the end",
    "scree_run_complete": "the same",
    "scree_run_proceed": "the same",
    "scree_run_simulation": "the simulation is the one that runs",
    "scree_run_event_name": "RunEvent",
    "scree_run_find": "Simulation.load",
    "scree_run_folder_": "the folder of Simulation.run is replaced",
    "scree_file_": "Python's own files, json and csv",
    "scree_folder_make": "the same",
    "scree_folder_claim_take": "the same; scree.Scene.run claims its folder",
    "scree_folder_claim_release": "the same",
    "scree_json_": "the same",
    "scree_csv_": "the same",
    "scree_suggest": "difflib",
    "scree_clock_seconds": "time",
    "scree_unit_parse": "scenes take texts with units",
    "scree_scene_find_path": "for programs that vary scenes",
    "scree_devices": "a list for people: `scree devices`",
    "scree_scene_controls": "for live pages (scree play)",
    "scree_scene_about": "for live pages (scree play)",
    "scree_scene_file": "for live pages (scree play)",
    "scree_frame_joint_of_world": "for drawing without a run; Result has frames",
    "scree_scene_world_options": "the world of the Simulation",
    "scree_problem_convert": "Problem.read and Problem.write",
    "scree_net_": "for programs that draw",
    "scree_shape_extent": "the same",
    "scree_shape_min_half_width": "the same",
    "scree_mode_moves": "mode_name",
    "scree_format_text": "help of the command",
    "scree_format_bytes": "estimates of `scree check`",
    "scree_measures_unit": "columns of Result have their units",
    "scree_measures_unit_of": "the same",
    "scree_measures_file": "profile_NAME.csv",
    "scree_measures_take": "frames do that",
    "scree_quantity_": "results of `scree sweep`",
    "scree_output_problem": "Stepper.set_problem_hook and Problem.write",
}


# C types that are no enum, no plain struct (a dataclass) and no struct of options (keywords), and what stands for them.
OWNED = {
    "scree_geometry": scree.Geometry,
    "scree_world": scree.World,
    "scree_snapshot": scree.Snapshot,
    "scree_stepper": scree.Stepper,
    "scree_problem": scree.Problem,
    "scree_solver": scree.Solver,
    "scree_scene": scree.Scene,
    "scree_simulation": scree.Simulation,
    "scree_output": scree.Output,
    "scree_result": scree.Result,
    "scree_frame": scree.Frame,
    "scree_shape": scree.Shape,
    "scree_error": scree.Error,
    "scree_cone": scree.Cone,
    "scree_contact": scree.Contact,
}
OTHERWISE = {
    "scree_allocator": "pools",
    "scree_pool": "`threads` of the options",
    "scree_block_matrix": "arrays of a problem",
    "scree_problem_view": "the properties of Problem",
    "scree_solver_class": "solvers()",
    "scree_solver_method": "for writers of solvers in C",
    "scree_monitor": "the same",
    "scree_rigid_contact": "Problem.create with Ht and inv_mass",
    "scree_run": "Simulation.run",
    "scree_checkpoint": "Simulation.save and load",
    "scree_setting": "the same",
    "scree_measures": "Simulation.measures",
    "scree_monitor": "for writers of solvers in C",
    "scree_run_options": "the keywords of Simulation.run",
    "scree_table": "(times, values)",
    "scree_time_function": "`course` of World.add_joint",
    "scree_joint_turn": "`turn` of World.add_joint",
    "scree_motion": "`motion` of World.add_body",
    "scree_world_view": "the arrays of World",
    "scree_json": "Python's own json",
    "scree_new_file": "Python's own files",
    "scree_folder_claim": "the same",
    "scree_unit_value": "scenes take texts with units",
}


def types(root):
    """Every type that the public headers name, in all their forms."""
    headers = "".join(p.read_text() for p in (root / "include/scree").glob("*.h"))
    return sorted(set(re.findall(r"^typedef (?:struct|enum) (scree_\w+)", headers, flags=re.M)))


def test_every_public_type_is_there_or_has_a_reason(root):
    found = types(root)
    assert len(found) > 60
    for name in found:
        ids_are_ints = re.fullmatch(r"scree_(body|material|shape|joint)_id", name)
        there = name in _names.ENUMS or name in _names.RECORDS or name in _names.OPTIONS or name in OWNED or name in OTHERWISE or ids_are_ints
        assert there, f"{name}: neither an enum, nor a dataclass, nor options, nor a class; if it is hidden now, give it a class"
    assert not [n for n in [*OWNED, *OTHERWISE] if n not in found], "these have left the headers"
    assert all(inspect.isclass(c) for c in OWNED.values())


def functions():
    return [name for name in dir(_core.lib) if name.startswith("scree_") and _core.ffi.typeof(getattr(_core.lib, name)).kind == "function"]


def test_every_public_function_is_bound_or_has_a_reason(root):
    source = "".join(p.read_text() for p in (root / "bindings/python/scree").glob("*.py"))
    used = set(re.findall(r"\blib\.(scree_\w+)", source))
    missing = [f for f in functions() if f not in used and not any(f == u or (u.endswith("_") and f.startswith(u)) for u in UNBOUND)]
    assert not missing, "bind these, or say in UNBOUND why not"


def test_records_have_the_fields_of_their_structs():
    for c_name, record in _names.RECORDS.items():
        fields = [f + "_" * keyword.iskeyword(f) for f, _ in _core.ffi.typeof(c_name).fields]
        assert [f.name for f in dataclasses.fields(record)] == fields


def test_structured_arrays_have_the_layout_of_the_compiler():
    for c_name in ("scree_cone", "scree_contact_point"):
        ctype = _core.ffi.typeof(c_name)
        data = _core.ffi.new(f"{c_name} *")
        array = np.frombuffer(_core.ffi.buffer(data), _core.dtype_of(ctype))
        assert array.itemsize == _core.ffi.sizeof(ctype) and array.size == 1
        for name, field in ctype.fields:
            if field.type.kind == "primitive":
                setattr(data, name, 3)
                assert array[name][0] == 3


def test_constants_are_those_of_c():
    for name in dir(_core.lib):
        value = getattr(_core.lib, name)
        if name.startswith("SCREE_") and isinstance(value, int):
            assert getattr(scree, name.removeprefix("SCREE_")) == value
    assert scree.version() == f"{scree.VERSION_MAJOR}.{scree.VERSION_MINOR}.{scree.VERSION_PATCH}" == scree.__version__
    assert all(issubclass(e, enum.IntEnum) for e in _names.ENUMS.values())


def public():
    for module in (scree.laws, scree.problem, scree.world, scree.scene, scree.result):
        for name in module.__all__:
            yield name, getattr(module, name)


@pytest.mark.parametrize("name,thing", list(public()))
def test_everything_public_is_documented_and_typed(name, thing):
    assert inspect.getdoc(thing), name
    members = [thing] if inspect.isfunction(thing) else [m for n, m in vars(thing).items() if not n.startswith("_")]
    for member in members:
        member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(member):
            assert inspect.getdoc(member), f"{name}.{member.__name__}"
            hints = typing.get_type_hints(member, vars(inspect.getmodule(member)))
            assert "return" in hints, f"{name}.{member.__name__}"
            wanted = [p for p in inspect.signature(member).parameters if p not in ("self", "cls")]
            assert set(wanted) <= set(hints), f"{name}.{member.__name__}"
