import type { RunnableKind } from "@troupe-internal/client";

/** The number of colours that faces have. */
const hues = 8;

/**
 * The picture of an agent, a team or a workflow. Its shape shows the kind; its initials and colour come from the name.
 */
export function Face({ kind, name, size = "small" }: { kind: RunnableKind; name: string; size?: "small" | "large" }) {
  return (
    <span class="face" data-kind={kind} data-hue={hueOf(name)} data-size={size} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** Returns the initials of a name: the first letters of its first two words. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0).toLocaleUpperCase())
    .join("");
}

/** Returns the colour of a name. The same name has the same colour on every page. */
export function hueOf(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) % 9973;
  return sum % hues;
}
