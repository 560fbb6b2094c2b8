"""What large pictures took is given back, whichever threads they were made in."""

import subprocess
import sys

import pytest

from tests.stack import ROOT

SCREEN_KB, THREADS = 7_600, 6
PROGRAM = f"""
import threading
from core.devices import heap

def resident_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

def draw():
    for _ in range(3):
        bytearray(b"x") * ({SCREEN_KB} * 1024)

heap.return_large()
draw()
before = resident_kb()
together = threading.Barrier({THREADS})
threads = [threading.Thread(target=lambda: (together.wait(), draw())) for _ in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(resident_kb() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_threads_that_made_pictures_keep_none_of_their_memory() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert int(ran.stdout) < SCREEN_KB / 2
