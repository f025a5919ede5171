/**
 * Tells if two JSON values are equal, in any order of properties. Not `isDeepStrictEqual`, because importing `node:util`
 * costs every program that imports core several milliseconds and reads the environment.
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
