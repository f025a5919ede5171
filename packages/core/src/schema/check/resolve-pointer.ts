import { isRecord } from "./keyword-site.ts";

/** Follows a local reference (`#`, `#/$defs/name`) through own entries; `undefined` when it leads nowhere. */
export function resolvePointer(root: unknown, reference: string): unknown {
  const parts = readPointer(reference);
  return parts?.reduce<unknown>(step, root);
}

function step(at: unknown, part: string): unknown {
  if (Array.isArray(at)) return /^\d+$/.test(part) ? (at[Number(part)] as unknown) : undefined;
  return isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined;
}

function readPointer(reference: string): string[] | undefined {
  if (reference === "#") return [];
  if (!reference.startsWith("#/")) return undefined;
  try {
    const parts = decodeURIComponent(reference.slice(2)).split("/");
    return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}
