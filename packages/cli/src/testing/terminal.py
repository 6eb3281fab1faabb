"""Runs a program on a terminal of its own: types, resizes and hands its status on.

Usage: terminal.py SCRIPT -- PROGRAM...  SCRIPT is JSON: [{"wait": text} | {"type": text} |
{"resize": [rows, columns]}, ...]. What the terminal shows goes to stdout.
"""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

separator = sys.argv.index("--")
steps = json.loads(sys.argv[1])
program = sys.argv[separator + 1 :]
DEADLINE = time.monotonic() + 100


def size(descriptor, rows, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


child, terminal = pty.fork()
if child == 0:
    time.sleep(0.2)
    os.execvp(program[0], program)
size(terminal, 24, 80)
shown = b""
position = 0
while True:
    while steps:
        step = steps[0]
        if "wait" in step:
            found = shown.find(step["wait"].encode(), position)
            if found == -1:
                break
            position = found + len(step["wait"])
        elif "type" in step:
            os.write(terminal, step["type"].encode())
        else:
            size(terminal, *step["resize"])
        steps.pop(0)
    if time.monotonic() > DEADLINE:
        sys.stderr.write("still waiting for %r\n" % steps[:1])
        os.kill(child, signal.SIGKILL)
        break
    ready, _, _ = select.select([terminal], [], [], 0.5)
    if ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            # The last one who had the terminal open has gone.
            break
        if not data:
            break
        shown += data
sys.stdout.buffer.write(shown)
sys.stdout.flush()
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
