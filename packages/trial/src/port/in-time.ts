import { DrydockError } from "@drydock/evidence";

/** A guest that answers neither a greeting nor a grant within this is lost. */
const ANSWER_PATIENCE_MS = 60_000;

/** @throws DrydockError GUEST_SILENT */
export const inTime = async <T>(answer: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new DrydockError("GUEST_SILENT", "the guest's agent doesn't answer")),
      ANSWER_PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};
