/** pfSense's alias names have 31 characters at most. ASCII alone is NFC in every spelling. */
const CANDIDATE = /^(?=.{1,31}$)(?:LAB|TEST)_[A-Za-z0-9_]+$/;

/** Guard: an alias that was made to be changed, by its name. */
export const isCandidate = (name: string): boolean => CANDIDATE.test(name);

/** The same for people. */
export const CANDIDATE_FORM = "LAB_ or TEST_ and letters, digits or _, 31 characters at most";
