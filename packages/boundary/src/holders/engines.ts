/** Engines by the name of their process (comm, at most 15 bytes: proc(5)). */
export const ENGINES: ReadonlySet<string> = new Set([
  "dockerd",
  "containerd",
  "podman",
  "crio",
  "buildkitd",
]);
