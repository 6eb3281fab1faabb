/** How hard the tests try. `./scripts/test` uses "quick", `./scripts/soak` uses "soak". */
export interface Profile {
  readonly name: "quick" | "soak";
  /** Runs of each property or fuzz test. */
  readonly fuzz: number;
  /** Kills of each host process in each phase. */
  readonly kills: number;
  /** Seed for every generator: fixed in the quick profile, so that a red run is red again. */
  readonly seed: number;
}

const QUICK: Profile = { name: "quick", fuzz: 200, kills: 1, seed: 20261130 };

const chooseProfile = (environment: NodeJS.ProcessEnv): Profile => {
  const name = environment["DRYDOCK_PROFILE"] ?? "quick";
  switch (name) {
    case "quick":
      return QUICK;
    case "soak":
      return {
        name: "soak",
        fuzz: Number(environment["DRYDOCK_SOAK_FUZZ"] ?? 100_000),
        kills: Number(environment["DRYDOCK_SOAK_KILLS"] ?? 100),
        seed: Number(environment["DRYDOCK_SEED"] ?? Date.now() % 2 ** 31),
      };
    default:
      throw new Error(`DRYDOCK_PROFILE is "${name}"; use "quick" or "soak"`);
  }
};

export const profile: Profile = chooseProfile(process.env);
