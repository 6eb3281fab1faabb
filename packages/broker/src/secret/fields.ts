/** Fields in the order they came; names lower case. */
export type Fields = readonly (readonly [name: string, value: string])[];
