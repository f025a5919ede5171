/** Fields in which vendors expect their own state back, and thoughts as text. */
const stateFields = ["encrypted_content", "signature", "thoughtSignature", "thinking"];

/** Finds state of vendors in the bodies of requests: signatures, encrypted or plain thoughts, ids of items. */
export function stateMarks(bodies: readonly unknown[]): string[] {
  const marks = new Set<string>();
  JSON.stringify(bodies, (field, value: unknown) => {
    if (typeof value === "string" && isMark(field, value)) marks.add(value);
    return value;
  });
  return [...marks];
}

function isMark(field: string, value: string): boolean {
  return stateFields.includes(field) || (field === "id" && /^(?:rs|fc|msg)_/.test(value));
}
