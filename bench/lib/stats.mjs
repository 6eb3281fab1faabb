// Medians of interleaved rounds: on a shared machine only what was measured side by side compares.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

export const rounded = (value) => Number(value.toPrecision(3));

/** Smallest, median and largest, in milliseconds. */
export const spread = (values) => ({
  min: rounded(Math.min(...values)),
  median: rounded(median(values)),
  max: rounded(Math.max(...values)),
  n: values.length,
});

/** Calls each of `contenders` once a round, so that noise hits all of them. */
export const interleaved = async (rounds, contenders) => {
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, work] of Object.entries(contenders)) results[name].push(await work());
  return results;
};

export const ROUNDS = Number(process.env.DRYDOCK_BENCH_ROUNDS ?? 11);
