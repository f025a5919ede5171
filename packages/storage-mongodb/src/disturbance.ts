const duplicateKey = 11_000;

/** Somebody else has changed what the work had looked at. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Whether a record was there already that was to be new. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === duplicateKey;
}

/** Whether somebody else's write got in the way: nothing was written, and the same may go well when it is done again. */
export function isDisturbance(error: unknown): boolean {
  return error instanceof Overtaken || isDuplicate(error) || hasLabel(error, "TransientTransactionError");
}

/** Whether it is not known if a transaction was committed. Committing it again is safe: the server knows. */
export function isUndecided(error: unknown): boolean {
  return hasLabel(error, "UnknownTransactionCommitResult");
}

function hasLabel(error: unknown, label: string): boolean {
  const { errorLabels } = error as { errorLabels?: readonly string[] };
  return errorLabels?.includes(label) === true;
}
