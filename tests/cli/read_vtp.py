"""Reads the frames of a run folder with VTK and compares them with its dump and contact table: python3 read_vtp.py DIR.

The dump and the tables have 17 digits, so all numbers must agree to the last bit, or to rounding where VTK or the table derives them.
"""
import csv
import os
import re
import sys

import vtk
from vtk.util.numpy_support import vtk_to_numpy

failures = []




def read(path):
    reader = vtk.vtkXMLPolyDataReader()
    problems = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *arguments: problems.append(path))
    if not reader.CanReadFile(path):
        failures.append(f"{path}: VTK cannot read it")
    reader.SetFileName(path)
    reader.Update()
    failures.extend(f"{p}: VTK has an error or a warning" for p in problems)
    return reader.GetOutput()


def array(data, name):
    found = data.GetArray(name)
    if found is None:
        failures.append(f"no array {name}")
        return None
    return vtk_to_numpy(found)


def expect(condition, text):
    if not condition:
        failures.append(text)


def dump_frames(path):
    frames, words = [], None
    for line in open(path):
        if line.startswith("ITEM: TIME\n"):
            frames.append([])
            words = None
        elif line.startswith("ITEM: ATOMS"):
            words = line.split()[2:]
        elif line.startswith("ITEM:"):
            words = None
        elif words:
            frames[-1].append(dict(zip(words, map(float, line.split()))))
    return frames


def pvd(path):
    return re.findall(r'timestep="([^"]*)".*file="([^"]*)"', open(path).read())


folder = sys.argv[1]
atoms = dump_frames(os.path.join(folder, "dump.lammpstrj"))
series = list(csv.DictReader(open(os.path.join(folder, "series.csv"))))
for kind in ("frames", "contacts", "surfaces"):
    listed = pvd(os.path.join(folder, kind + ".pvd"))
    expect(len(listed) == len(series), f"{kind}.pvd lists {len(listed)} frames of {len(series)}")
    for (time, name), row in zip(listed, series):
        expect(float(time) == float(row["time[s]"]), f"{kind}.pvd: time {time}")
        expect(os.path.exists(os.path.join(folder, name)), f"{name} is not there")

for number, (time, name) in enumerate(pvd(os.path.join(folder, "frames.pvd"))):
    data = read(os.path.join(folder, name))
    point, kinds = data.GetPointData(), array(data.GetPointData(), "shape_kind")
    expect(vtk_to_numpy(data.GetFieldData().GetArray("TimeValue"))[0] == float(time), f"{name}: TimeValue")
    expect(data.GetNumberOfVerts() == data.GetNumberOfPoints(), f"{name}: a vertex for each point")
    solid = [k for k in range(data.GetNumberOfPoints()) if kinds[k] != 1]
    expect(len(solid) == len(atoms[number]), f"{name}: {len(solid)} shapes, the dump has {len(atoms[number])}")
    columns = {"velocity": ("vx", "vy", "vz"), "angular_velocity": ("omegax", "omegay", "omegaz"),
               "orientation": ("quatw", "quati", "quatj", "quatk"), "radius": ("radius",), "body": ("mol",)}
    for k, atom in zip(solid, atoms[number]):
        expect(data.GetPoint(k) == (atom["x"], atom["y"], atom["z"]), f"{name}: point {k}")
        for quantity, words in columns.items():
            values = array(point, quantity)[k]
            values = [values] if len(words) == 1 else list(values)
            wanted = [atom[w] - (quantity == "body") for w in words]
            expect(values == wanted, f"{name}: {quantity} of point {k}: {values}, the dump has {wanted}")

for number, (time, name) in enumerate(pvd(os.path.join(folder, "contacts.pvd"))):
    data = read(os.path.join(folder, name))
    point = data.GetPointData()
    table = os.path.join(folder, "contacts", f"contacts_{number:06d}.csv")
    rows = list(csv.DictReader(open(table))) if os.path.exists(table) else None
    if rows is None:
        continue
    expect(len(rows) == data.GetNumberOfPoints(), f"{name}: {data.GetNumberOfPoints()} contacts of {len(rows)}")
    for k, row in enumerate(rows):
        expect(data.GetPoint(k) == tuple(float(row[c]) for c in ("x[m]", "y[m]", "z[m]")), f"{name}: contact {k}")
        load = [float(row[c]) for c in ("r_N[N]", "r_T1[N]", "r_T2[N]", "m_R1[N m]", "m_R2[N m]", "m_S[N m]")]
        expect(list(array(point, "load")[k]) == load, f"{name}: load of contact {k}")
        expect(array(point, "gap")[k] == float(row["gap[m]"]), f"{name}: gap of contact {k}")
        expect(list(array(point, "bodies")[k]) == [int(row["body_a"]), int(row["body_b"])], f"{name}: bodies of {k}")
        normal = [float(row[c]) for c in ("normal_x", "normal_y", "normal_z")]
        expect(list(array(point, "normal")[k]) == normal, f"{name}: normal of contact {k}")

for time, name in pvd(os.path.join(folder, "surfaces.pvd")):
    data = read(os.path.join(folder, name))
    expect(data.GetNumberOfPolys() == data.GetCellData().GetArray("body").GetNumberOfTuples(), f"{name}: cells")

for text in failures[:20]:
    print(text)
print(f"read_vtp: {len(failures)} differences")
sys.exit(1 if failures else 0)
