/**
 * Returns true if two JSON values are equal, regardless of the order of properties. Not `isDeepStrictEqual`, because
 * importing `node:util` reads the environment and slows the start of every program that imports core.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      equalJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}
