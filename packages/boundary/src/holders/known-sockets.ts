/** Where engines listen when nobody says otherwise (Docker, containerd, Podman, CRI-O). */
export const KNOWN_SOCKETS: readonly string[] = [
  "/run/docker.sock",
  "/run/containerd/containerd.sock",
  "/run/podman/podman.sock",
  "/run/crio/crio.sock",
];
