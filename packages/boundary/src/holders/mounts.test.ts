import assert from "node:assert/strict";
import { test } from "node:test";
import { locate, parseMountinfo } from "./mountinfo.js";
import { mountsLeadTo } from "./mounts-lead-to.js";

/** A host's: its disk, its /run, and a directory of its disk a second time, with a space in its name. */
const HOST = parseMountinfo(`22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
25 22 0:23 / /run rw,nosuid shared:2 - tmpfs tmpfs rw,mode=755
31 22 254:0 /srv/appliance /mnt/the\\040same rw shared:1 - ext4 /dev/vda1 rw
`);
const SOCKET = { device: "0:23", path: "/docker.sock" };
const OTHER = { device: "254:0", path: "/srv/appliance/engine.sock" };

test("a file is found in its file system, by whichever mount it is named", () => {
  assert.deepEqual(locate("/run/docker.sock", HOST), SOCKET);
  assert.deepEqual(locate("/srv/appliance/engine.sock", HOST), OTHER);
  assert.deepEqual(locate("/mnt/the same/engine.sock", HOST), OTHER);
  assert.deepEqual(locate("/running", HOST), { device: "254:0", path: "/running" });
  assert.equal(locate("/run/docker.sock", []), null);
});

/** A container's, with one mount of the host's. */
const container = (device: string, root: string) =>
  parseMountinfo(`900 800 0:77 / / rw - overlay overlay rw
901 900 254:0 /var/lib/docker/containers/1/hosts /etc/hosts rw - ext4 /dev/vda1 rw
902 900 ${device} ${root} /x rw - ext4 /dev/vda1 rw
`);

test("a mount leads to a socket that is in it, and not to what is beside it", () => {
  const files = [SOCKET, OTHER];
  for (const [device, root, leads] of [
    ["0:23", "/", true],
    ["0:23", "/docker.sock", true],
    ["0:23", "/docker", false],
    ["254:0", "/srv", true],
    ["254:0", "/srv/appliance", true],
    ["254:0", "/srv/appliances", false],
    ["0:99", "/", false],
  ] as const)
    assert.equal(mountsLeadTo(files, container(device, root)), leads, `${device} ${root}`);
  assert.equal(mountsLeadTo([], container("0:23", "/")), false);
});
