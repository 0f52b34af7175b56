"""Many contacts, y = W p + q with a cone each, and their solvers: <scree/problem.h>, <scree/solver.h>."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ._core import Object, Pool, check, documents_options, doubles, dtype_of, enum_value, ffi
from ._core import fill, integers, keep_exception, lib, new_error, path_bytes, pointer, record, text_of
from ._names import Certificate, Cone, FileKind, Infeasibility, Law, Outcome, Pointedness, Smallest, SolveInfo
from .laws import LawLike, cone_array

__all__ = [
    "BlockMatrix",
    "Problem",
    "Solution",
    "Solver",
    "SolverClass",
    "solvers",
]

Path = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True, eq=False)
class BlockMatrix:
    """Block CSR as the problem stores it: views, no copies.

    Entry e of block row i (start[i] <= e < start[i+1]) is the block in block column column[e], row-major at value[at[e]:at[e+1]].
    row_offset, col_offset: first scalar row and column of each block.
    """

    row_offset: np.ndarray
    col_offset: np.ndarray
    start: np.ndarray
    column: np.ndarray
    at: np.ndarray
    value: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Scalar rows and columns."""
        return int(self.row_offset[-1]), int(self.col_offset[-1])

    def coordinates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scalar (row, column, value) of every stored entry."""
        entries = np.arange(self.column.size)
        block_row = np.repeat(np.arange(self.start.size - 1), np.diff(self.start))
        sizes = np.diff(self.at).astype(np.intp)
        entry = np.repeat(entries, sizes)
        inside = np.arange(self.value.size) - np.repeat(self.at[:-1].astype(np.intp), sizes)
        width = np.diff(self.col_offset)[self.column][entry]
        row = self.row_offset[block_row][entry] + inside // width
        return row, self.col_offset[self.column][entry] + inside % width, self.value

    def to_scipy(self) -> Any:
        """The matrix as scipy.sparse.csr_matrix (a copy)."""
        import scipy.sparse

        row, column, value = self.coordinates()
        return scipy.sparse.csr_matrix((value, (row, column)), shape=self.shape)

    def to_dense(self) -> np.ndarray:
        """The matrix as an array (a copy)."""
        dense = np.zeros(self.shape)
        row, column, value = self.coordinates()
        np.add.at(dense, (row, column), value)
        return dense


def _blocks(matrix: Any, row_offset: np.ndarray, col_offset: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cuts a matrix (scipy.sparse, or an array) into the dense blocks that hold its entries: block rows, block columns, values."""
    shape = (int(row_offset[-1]), int(col_offset[-1]))
    matrix = matrix if hasattr(matrix, "tocoo") else np.asarray(matrix, np.float64)
    if tuple(matrix.shape) != shape:
        raise ValueError(f"{name} has the shape {tuple(matrix.shape)}, expected {shape}")
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        row, column, data = coo.row, coo.col, np.asarray(coo.data, np.float64)
    else:
        row, column = np.nonzero(matrix)
        data = matrix[row, column]
    block_row = np.searchsorted(row_offset, row, side="right") - 1
    block_column = np.searchsorted(col_offset, column, side="right") - 1
    keys, which = np.unique(block_row.astype(np.int64) * len(col_offset) + block_column, return_inverse=True)
    rows, columns = keys // len(col_offset), keys % len(col_offset)
    height, width = np.diff(row_offset)[rows], np.diff(col_offset)[columns]
    at = np.concatenate(([0], np.cumsum(height * width)))
    value = np.zeros(at[-1])
    inside = (row - row_offset[block_row]) * width[which] + (column - col_offset[block_column])
    np.add.at(value, at[which] + inside, data)  # duplicates of a triplet matrix add up
    return integers(rows), integers(columns), value


def _offsets(sizes: Iterable[int]) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(np.fromiter(sizes, dtype=np.int64))))


def _returned(call: Callable[[Any, Any], Any]) -> tuple[Pool, Any]:
    """The object that call(allocator, error) returns, and the pool it lives in."""
    pool, error = Pool(), new_error()
    made = call(pool.allocator, error)
    check(error.status, error)
    return pool, made


class Problem(Object):
    """A contact problem: read, written, made from matrices, checked, solved.

    The arrays among the properties are views of the problem, without copies, to read. `law`, `q`, `cone` and `bound` may be assigned to,
    and so may the values of W, by set_blocks. Views stay readable after close().
    """

    _noun = "problem"

    # ---- making

    @classmethod
    def _own(cls, call: Callable[[Any, Any], Any]) -> Problem:
        return cls(*_returned(call), lib.scree_problem_destroy)

    def _parts(self) -> Any:
        """The const view of the C library."""
        return lib.scree_problem_parts(self._live())

    def _set(self, call: Any, array: np.ndarray, ctype: str = "double *") -> None:
        with self._use() as c:
            error = new_error()
            check(call(c, pointer(array, ctype), error), error)

    @classmethod
    def read(cls, path: Path, kind: FileKind | str = FileKind.DETECT) -> Problem:
        """Reads a Siconos .dat or FCLIB .hdf5 file, told by its content."""
        number = enum_value(ffi.typeof("scree_file_kind"), kind)
        return cls._own(lambda allocator, error: lib.scree_problem_read_as(path_bytes(path), number, allocator, error))

    @classmethod
    def create(
        cls,
        cone: Cone | Sequence[Cone],
        W: Any = None,
        q: Any = None,
        *,
        Ht: Any = None,
        mass: Any = None,
        inv_mass: Any = None,
        v_free: Any = None,
        body_dof: int | Sequence[int] = 6,
        bound: Any = (),
        compliance: Any = None,
        law: LawLike = Law.COULOMB,
    ) -> Problem:
        """Makes a problem from matrices of scipy.sparse or numpy; all are copied.

        cone: one per contact. Their sizes give the rows; scalar rows of `bound` (infinite: bilateral) follow.
        Either W (rows, rows), with q (rows); or H' as `Ht` (rows, degrees of freedom) and the mass: then W = H' M^-1 H and, with
        v_free (dof), q + H' v_free is the velocity without reaction. `body_dof` cuts the degrees of freedom into bodies (one number
        for all, at most 6). The mass is `inv_mass` (dof, dof), a diagonal block for each body, or `mass` (dof, dof), symmetric
        positive definite of any pattern, which is factorised.
        """
        cones, bounds = cone_array(cone), doubles(bound, -1, name="bound")
        row_offset = _offsets([*(1 + cones["size"].sum(axis=1)), *([1] * bounds.size)])
        rows = int(row_offset[-1])
        if (W is None) == (Ht is None):
            raise TypeError("give W, or Ht with mass or inv_mass")
        definition = ffi.new("scree_problem_def *", lib.scree_problem_def_default())
        definition.law = enum_value(ffi.typeof("scree_law"), law)
        definition.contact_count, definition.bound_count = len(cones), bounds.size
        definition.cone, definition.bound = pointer(cones, "scree_cone *"), pointer(bounds)
        velocity = None if q is None else doubles(q, rows, name="q")
        soft = None if compliance is None else doubles(compliance, rows, name="compliance")
        definition.q, definition.compliance = pointer(velocity), pointer(soft)
        column_offset, keep = row_offset, []
        if Ht is not None:
            column_offset = cls._bodies(definition, Ht.shape[1], body_dof, mass, inv_mass, v_free, keep)
        entries = _blocks(W if Ht is None else Ht, row_offset, column_offset, "W" if Ht is None else "Ht")
        definition.entry_count = entries[0].size
        definition.entry_row, definition.entry_column = pointer(entries[0], "int *"), pointer(entries[1], "int *")
        definition.entry_value = pointer(entries[2])

        def make(allocator: Any, error: Any) -> Any:
            definition.allocator = allocator
            return lib.scree_problem_create(definition, error)

        return cls._own(make)

    @staticmethod
    def _bodies(definition: Any, dofs: int, body_dof: int | Sequence[int], mass: Any, inv_mass: Any, v_free: Any, keep: list[Any]) -> np.ndarray:
        """The part of a definition that defines how bodies move; `keep` receives what it points to. Returns the bodies' first columns."""
        if (mass is None) == (inv_mass is None):
            raise TypeError("Ht needs mass or inv_mass")
        if isinstance(body_dof, int):
            if body_dof < 1 or dofs % body_dof != 0:
                raise ValueError(f"Ht has {dofs} columns, not a multiple of body_dof = {body_dof}")
            body_dof = [body_dof] * (dofs // body_dof)
        sizes, offset = integers(body_dof), _offsets(body_dof)
        if offset[-1] != dofs:
            raise ValueError(f"body_dof adds up to {offset[-1]}, Ht has {dofs} columns")
        free = None if v_free is None else doubles(v_free, dofs, name="v_free")
        definition.body_count, definition.body_dof, definition.v_free = sizes.size, pointer(sizes, "int *"), pointer(free)
        keep += [sizes, free]
        if mass is not None:
            start, column, value = _compressed_rows(mass, dofs)
            definition.mass_start, definition.mass_column = pointer(start, "int *"), pointer(column, "int *")
            definition.mass_value = pointer(value)
            keep += [start, column, value]
        else:
            row, column, value = _blocks(inv_mass, offset, offset, "inv_mass")
            if not (np.array_equal(row, np.arange(sizes.size)) and np.array_equal(row, column)):
                raise ValueError("inv_mass must have one block for each body, on the diagonal")
            definition.body_inv_mass = pointer(value)
            keep.append(value)
        return offset

    def write(self, path: Path, p: Any = None) -> None:
        """Writes .dat or .hdf5, by the extension; FCLIB files hold the solution p too, if it is given."""
        with self._use() as c:
            reactions = None if p is None else doubles(p, self.row_count, name="p")
            error = new_error()
            check(lib.scree_problem_write(c, pointer(reactions), path_bytes(path), error), error)

    def assemble(self) -> Problem:
        """The same problem with W assembled."""
        with self._use() as c:
            return self._own(lambda allocator, error: lib.scree_problem_assemble(c, allocator, error))

    # ---- parts

    @property
    def law(self) -> Law:
        """Coulomb or convex; may be set."""
        return Law(int(self._parts().law))

    @law.setter
    def law(self, law: LawLike) -> None:
        with self._use() as c:
            lib.scree_problem_set_law(c, enum_value(ffi.typeof("scree_law"), law))

    @property
    def contact_count(self) -> int:
        """Number of contacts."""
        return self._parts().contact_count

    @property
    def bound_count(self) -> int:
        """Number of bounded and bilateral rows."""
        return self._parts().bound_count

    @property
    def row_count(self) -> int:
        """Number of scalar rows: the length of p, y and q."""
        return self._parts().row_count

    @property
    def body_count(self) -> int:
        """Number of bodies; 0 if W is assembled."""
        return self._parts().body_count

    @property
    def dof_count(self) -> int:
        """Degrees of freedom of the bodies."""
        return self._parts().dof_count

    @property
    def offset(self) -> np.ndarray:
        """First row of each contact and bounded row (blocks + 1)."""
        c = self._parts()
        return self._view(c.offset, (c.block_count + 1,), np.int32)

    @property
    def cone(self) -> np.ndarray:
        """The cones as a structured array with the fields size and coef; new coefficients may be assigned, sizes stay."""
        c = self._parts()
        return self._view(c.cone, (c.contact_count,), dtype_of(ffi.typeof("scree_cone")))

    @cone.setter
    def cone(self, cone: Any) -> None:
        dtype = dtype_of(ffi.typeof("scree_cone"))
        cones = np.ascontiguousarray(cone) if isinstance(cone, np.ndarray) else cone_array(cone)
        if cones.dtype != dtype or cones.shape != (self.contact_count,):
            raise ValueError(f"expected one cone for each of the {self.contact_count} contacts")
        self._set(lib.scree_problem_set_cones, cones, "scree_cone *")

    @property
    def bound(self) -> np.ndarray:
        """Bounds of the scalar rows; infinite: bilateral. May be assigned."""
        c = self._parts()
        return self._view(c.bound, (c.bound_count,))

    @bound.setter
    def bound(self, bound: Any) -> None:
        self._set(lib.scree_problem_set_bounds, doubles(bound, self.bound_count, name="bound"))

    @property
    def q(self) -> np.ndarray:
        """Velocity without reaction (row_count); may be assigned."""
        c = self._parts()
        return self._view(c.q, (c.row_count,))

    @q.setter
    def q(self, q: Any) -> None:
        self._set(lib.scree_problem_set_q, doubles(q, self.row_count, name="q"))

    @property
    def compliance(self) -> np.ndarray | None:
        """What is added to the diagonal of W, or None."""
        c = self._parts()
        return None if c.compliance == ffi.NULL else self._view(c.compliance, (c.row_count,))

    @property
    def v_free(self) -> np.ndarray | None:
        """Velocity of the bodies without reaction (dof_count), or None."""
        c = self._parts()
        return None if c.v_free == ffi.NULL else self._view(c.v_free, (c.dof_count,))

    def _matrix(self, m: Any) -> BlockMatrix | None:
        if m.value == ffi.NULL:
            return None
        entries = m.start[m.row_blocks]
        return BlockMatrix(
            self._view(m.row_offset, (m.row_blocks + 1,), np.int32),
            self._view(m.col_offset, (m.col_blocks + 1,), np.int32),
            self._view(m.start, (m.row_blocks + 1,), np.int32),
            self._view(m.column, (entries,), np.int32),
            self._view(m.at, (entries + 1,), np.uint64),
            self._view(m.value, (m.at[entries],)),
        )

    @property
    def W(self) -> BlockMatrix | None:
        """W where it is assembled, else None (assemble() makes it)."""
        return self._matrix(self._parts().W)

    def set_blocks(self, value: Any) -> None:
        """New values for the blocks of an assembled W, in the order of W.value."""
        with self._use() as c:
            W = lib.scree_problem_parts(c).W
            if W.value == ffi.NULL:
                raise ValueError("W is not assembled: the problem goes through the bodies")
            values, error = doubles(value, W.at[W.start[W.row_blocks]], name="value"), new_error()
            check(lib.scree_problem_set_blocks(c, pointer(values), error), error)

    def prepare(self) -> None:
        """Forms the parts that solvers of rigid contacts may need, so that they find them in each solve."""
        with self._use() as c:
            error = new_error()
            check(lib.scree_problem_prepare(c, lib.SCREE_PART_BLOCKS | lib.SCREE_PART_DIAGONAL, error), error)

    @property
    def Ht(self) -> BlockMatrix | None:
        """H' where the problem goes through the bodies, else None."""
        return self._matrix(self._parts().Ht)

    # ---- judging

    def _product(self, call: Any, x: Any, size: int, name: str) -> np.ndarray:
        """What call(problem, x, out, error) writes to an array of `size`."""
        with self._use() as c:
            x, out, error = doubles(x, self.row_count, name=name), np.empty(size), new_error()
            check(call(c, pointer(x), pointer(out), error), error)
            return out

    def apply(self, x: Any) -> np.ndarray:
        """W x, compliance included."""
        return self._product(lib.scree_problem_apply, x, self.row_count, "x")

    def velocity(self, p: Any) -> np.ndarray:
        """W p + q."""
        return self._product(lib.scree_problem_velocity, p, self.row_count, "p")

    def residual(self, p: Any) -> float:
        """How far p is from the law, in Siconos' measure: what `tolerance` means everywhere."""
        with self._use() as c:
            p, error = doubles(p, self.row_count, name="p"), new_error()
            residual = lib.scree_problem_residual(c, pointer(p), error)
            check(error.status, error)
            return residual

    def certify(self, p: Any) -> tuple[Certificate, np.ndarray]:
        """All there is to say about p, from the data; and the velocities y = W p + q."""
        y = self.velocity(p)
        with self._use() as c:
            p, error = doubles(p, self.row_count, name="p"), new_error()
            certificate = lib.scree_problem_certify(c, pointer(p), error)
            check(error.status, error)
            return record(certificate), y

    def body_velocities(self, p: Any) -> np.ndarray:
        """v_free + M^-1 H p, of a problem through the bodies."""
        if self.body_count == 0:
            raise ValueError("the problem has no bodies: W is assembled")
        return self._product(lib.scree_problem_body_velocities, p, self.dof_count, "p")

    def infeasible(self, z: Any) -> tuple[Infeasibility, np.ndarray]:
        """From reactions z that ran away, the nearest direction that could prove that there is no solution, and what it proves."""
        with self._use() as c:
            z, error = np.array(doubles(z, self.row_count, name="z")), new_error()
            proof = lib.scree_problem_infeasible(c, pointer(z), error)
            check(error.status, error)
            return record(proof), z

    def pointed(self) -> tuple[Pointedness, np.ndarray]:
        """Whether no reactions in the cones, but 0, move no body; with the proof: reactions whose velocities open every contact, or a self-stress."""
        with self._use() as c:
            proof, error = np.zeros(self.row_count), new_error()
            found = lib.scree_problem_pointed(c, pointer(proof), error)
            check(error.status, error)
            return record(found), proof

    def free_reactions(self, p: Any) -> int:
        """In how many independent ways the reactions p of a solution may change with the same velocities; 0: none; -1: not found."""
        with self._use() as c:
            p, error = doubles(p, self.row_count, name="p"), new_error()
            count = lib.scree_problem_free_reactions(c, pointer(p), error)
            check(error.status, error)
            return int(count)

    def smallest_reactions(self, p: Any) -> tuple[np.ndarray, Smallest]:
        """Of all reactions with the velocities of the solution p, the smallest: the same ones whichever solver found p."""
        with self._use() as c:
            p, error = np.array(doubles(p, self.row_count, name="p")), new_error()
            found = lib.scree_problem_smallest_reactions(c, pointer(p), error)
            check(error.status, error)
            return p, record(found)

    # ---- solving

    @documents_options("scree_solver_options")
    def solve(self, p: Any = None, solver: str = "auto", trace: Callable[[SolveInfo], object] | None = None, **options: Any) -> Solution:
        """Solves, from the warm start p. `trace` is called at each evaluation of the residual. Ctrl-C stops, with KeyboardInterrupt."""
        with Solver(self, solver, trace=trace, **options) as made:
            return made.solve(self, p)


def _compressed_rows(matrix: Any, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A square matrix (scipy.sparse, or an array) by rows, columns ascending."""
    offset = np.arange(size + 1)
    row, column, value = _blocks(matrix, offset, offset, "mass")  # blocks of one entry, sorted by row, then column
    return integers(_offsets(np.bincount(row, minlength=size))), column, value


# ---- solvers -----------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Solution:
    """A solution and its certificate.

    p: reactions; y: velocities W p + q; info: how the solve ended; certificate: p checked against the data; proof, direction: that there
    is no solution, where the outcome is infeasible.
    """

    p: np.ndarray
    y: np.ndarray
    info: SolveInfo
    certificate: Certificate
    proof: Infeasibility | None = None
    direction: np.ndarray | None = None

    @property
    def converged(self) -> bool:
        """True if the residual reached the tolerance."""
        return self.info.outcome == Outcome.CONVERGED


@ffi.def_extern(error=1, onerror=keep_exception)
def python_interrupt(info: Any, context: Any) -> int:
    """interrupt of scree_solver_options. That it runs Python is what lets Ctrl-C in: its exception stops the solve."""
    trace = ffi.from_handle(context)
    if trace is not None:
        trace(record(info))
    return 0


@documents_options("scree_solver_options")
class Solver(Object):
    """A method, ready for problems of one structure: solve as often as needed, with other q, values of W and coefficients."""

    _noun = "solver"

    def __init__(self, problem: Problem, name: str = "auto", trace: Callable[[SolveInfo], object] | None = None, **options: Any):
        self._keep: list[Any] = []
        settings = ffi.new("scree_solver_options *", lib.scree_solver_options_default())
        fill(settings, {"name": name, **options}, self._keep)
        self._trace = ffi.new_handle(trace)
        settings.interrupt, settings.context = lib.python_interrupt, self._trace

        def make(allocator: Any, error: Any) -> Any:
            settings.allocator = allocator
            return lib.scree_solver_create(c, settings, error)

        with problem._use() as c:
            super().__init__(*_returned(make), lib.scree_solver_destroy, uses=problem)

    def solve(self, problem: Problem, p: Any = None) -> Solution:
        """Solves, from the warm start p (not changed). Ctrl-C stops, with KeyboardInterrupt."""
        with self._use() as c, problem._use() as c_problem:
            rows, error = problem.row_count, new_error()
            p = np.zeros(rows) if p is None else np.array(doubles(p, rows, name="p"))
            info = lib.scree_solver_solve(c, c_problem, pointer(p), error)
            check(error.status, error)
            direction = ffi.new("double **")
            proof = lib.scree_solver_proof(c, direction)
            found = proof != ffi.NULL
            y = np.empty(rows)
            certificate = lib.scree_problem_certify(c_problem, pointer(p), error)
            check(lib.scree_problem_velocity(c_problem, pointer(p), pointer(y), error), error)
            z = np.frombuffer(bytes(ffi.buffer(direction[0], 8 * rows))) if found else None
            return Solution(p, y, record(info), record(certificate), record(proof) if found else None, z)


@dataclasses.dataclass(frozen=True)
class SolverClass:
    """What a method is and takes."""

    name: str
    summary: str
    laws: tuple[Law, ...]
    takes_bounds: bool
    matrix_free: bool


def solvers() -> list[SolverClass]:
    """All methods, as `scree solvers` lists them."""
    found, index = [], 0
    while (c := lib.scree_solver_class_at(index)) != ffi.NULL:
        laws = tuple(law for law in Law if lib.scree_solver_class_takes_law(c, law))
        name, summary = text_of(lib.scree_solver_class_name(c)), text_of(lib.scree_solver_class_summary(c))
        bounds, free = bool(lib.scree_solver_class_takes_bounds(c)), bool(lib.scree_solver_class_matrix_free(c))
        found.append(SolverClass(name, summary, laws, bounds, free))
        index += 1
    return found
