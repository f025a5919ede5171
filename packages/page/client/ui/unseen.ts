/** Invisible characters, and characters that change the direction of a text: they make a text look like another. */
const unseen = /[\p{Cc}\u{ad}\u{61c}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}]/gu;

/** Returns a name or a link's text as one line without invisible characters. */
export function plainLine(text: string): string {
  return text.replaceAll(unseen, " ");
}

/** Returns a text with its lines and tabs. Invisible characters are shown by their code points. */
export function toVisible(text: string): string {
  return text.replaceAll(unseen, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
