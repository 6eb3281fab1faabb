import type { Socket } from "node:net";
import { socketPair } from "../link/index.js";

type Pair = readonly [Socket, Socket];

const NO_PAIR = [null, null] as const;

/** This process's ends of its lines. */
export interface OwnEnds {
  readonly reaper: Socket;
  readonly controller: Socket;
  readonly port: Socket;
  readonly egress: Socket | null;
}

/** Ends that the run's processes are born with, by process and by who holds the other end. */
export interface HandedEnds {
  readonly reaper: { readonly launcher: Socket; readonly controller: Socket };
  readonly controller: {
    readonly launcher: Socket;
    readonly port: Socket;
    readonly reaper: Socket;
    readonly egress: Socket | null;
  };
  readonly port: { readonly controller: Socket; readonly user: Socket };
  /** Null in a run that reaches nothing outside. */
  readonly egress: { readonly controller: Socket; readonly launcher: Socket } | null;
}

/** Every line between the processes of one run. Both ends of each are made here. */
export class Lines {
  readonly #directory: string;
  readonly #made: Socket[] = [];

  /** @param directory where a socket may have a name for a moment */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** At once: each pair is three round trips of the event loop. */
  async open(withBroker: boolean): Promise<{ readonly own: OwnEnds; readonly handed: HandedEnds }> {
    const [
      [reaper, reaperLauncher],
      [controller, controllerLauncher],
      [controllerPort, portController],
      [controllerReaper, reaperController],
      [port, portUser],
      [controllerEgress, egressController],
      [egress, egressLauncher],
    ] = await Promise.all([
      this.#pair(),
      this.#pair(),
      this.#pair(),
      this.#pair(),
      this.#pair(),
      withBroker ? this.#pair() : NO_PAIR,
      withBroker ? this.#pair() : NO_PAIR,
    ]);
    return {
      own: { reaper, controller, port, egress },
      handed: {
        reaper: { launcher: reaperLauncher, controller: reaperController },
        controller: {
          launcher: controllerLauncher,
          port: controllerPort,
          reaper: controllerReaper,
          egress: controllerEgress,
        },
        port: { controller: portController, user: portUser },
        egress:
          egressController === null || egressLauncher === null
            ? null
            : { controller: egressController, launcher: egressLauncher },
      },
    };
  }

  /** Closes every end that is still held here, but `kept`. */
  close(kept: Socket | null = null): void {
    for (const socket of this.#made) if (socket !== kept) socket.destroy();
  }

  async #pair(): Promise<Pair> {
    const sockets = await socketPair(this.#directory);
    this.#made.push(...sockets);
    return sockets;
  }
}

/** Once the processes hold them, this one must not: a line closes with its last holder. */
export const closeHanded = ({ reaper, controller, port, egress }: HandedEnds): void => {
  for (const ends of [reaper, controller, port, egress])
    for (const socket of Object.values<Socket | null>({ ...ends })) socket?.destroy();
};
