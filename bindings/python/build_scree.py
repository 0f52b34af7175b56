"""build_scree.py: makes the extension module scree._scree and the module scree/_names.py. setup.py calls it through cffi.

The extension is compiled against the public headers, so a declaration that does not fit the library does not compile. It links the
library of the prefix in the environment variable SCREE_PREFIX where that is set; otherwise that of build/release, or one that is built
from this source tree, is linked in statically, and the package stands alone.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from cffi import FFI

sys.path.insert(0, str(Path(__file__).resolve().parent))
import headers  # noqa: E402  (beside this file; setuptools executes it from elsewhere)

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent

# What the extension has of its own: pools of memory (pool.h) and the callbacks that Python functions stand behind.
OWN = """
typedef struct memory_pool memory_pool;
static memory_pool *memory_pool_create(void);
static void memory_pool_release(memory_pool *pool);
static memory_pool *memory_pool_pin(memory_pool *pool);
static void memory_pool_unpin(memory_pool *pool);
static scree_allocator memory_pool_allocator(memory_pool *pool);
static void memory_live(int64_t *blocks, int64_t *bytes);
extern "Python" int python_interrupt(const scree_solve_info *info, void *context);
extern "Python" void python_problem(const scree_problem *problem, const double *p, int64_t step, void *context);
"""


def prefix() -> Path:
    """Where scree is installed: SCREE_PREFIX; else the library of build/release, where ./run or cmake has made it; else one that is
    compiled here from the source tree. SCREE_COMPILE=1 compiles in any case."""
    if "SCREE_PREFIX" in os.environ:
        return Path(os.environ["SCREE_PREFIX"]).resolve()
    build, installed = HERE / "build" / "libscree", HERE / "build" / "prefix"
    ready = TREE / "build" / "release"
    if (ready / "libscree.a").exists() and not os.environ.get("SCREE_COMPILE"):
        print(f"the library of {ready} is taken; SCREE_COMPILE=1 compiles another")
        subprocess.run(["cmake", "--install", str(ready), "--prefix", str(installed), "--component", "devel"], check=True)
        return installed
    settings = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSCREE_TESTS=OFF", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_INSTALL_LIBDIR=lib"]
    subprocess.run(["cmake", "-S", str(TREE), "-B", str(build), *settings], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "scree", "--parallel", str(os.cpu_count() or 1)], check=True)
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(installed), "--component", "devel"], check=True)
    return installed


def pkg_config(where: Path, what: str) -> list[str]:
    """The flags that the installed scree asks for."""
    files = [str(p.parent) for p in where.rglob("pkgconfig/scree.pc")]
    if not files:
        raise SystemExit(f"{where} holds no scree.pc: is scree installed there?")
    environment = dict(os.environ, PKG_CONFIG_PATH=":".join(files + [os.environ.get("PKG_CONFIG_PATH", "")]))
    done = subprocess.run(["pkg-config", what, "scree"], env=environment, check=True, text=True, capture_output=True)
    return shlex.split(done.stdout)


def make_builder() -> FFI:
    """The cffi builder of scree._scree; writes scree/_names.py on the way."""
    where = prefix()
    include = where / "include"
    (HERE / "scree" / "_names.py").write_text(headers.python_names(include), encoding="utf-8")
    builder = FFI()
    builder.cdef(headers.declarations(include) + OWN)
    libraries = pkg_config(where, "--libs")
    folders = [flag[2:] for flag in libraries if flag.startswith("-L")]
    builder.set_source(
        "scree._scree",
        headers.includes(include) + '#include "pool.h"\n',
        include_dirs=[str(include), str(HERE)],
        extra_compile_args=["-std=gnu17", "-O2", "-Wno-unused-function"],
        extra_link_args=libraries + ["-pthread"] + [f"-Wl,-rpath,{folder}" for folder in folders if list(Path(folder).glob("libscree.so*"))],
    )
    return builder


ffibuilder = make_builder()
