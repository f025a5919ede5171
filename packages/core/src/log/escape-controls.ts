/**
 * Writes control characters as `\uXXXX`: line breaks, terminal codes and what turns the direction of writing. So one entry
 * stays one line, and what a stranger sent cannot pass for another entry.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
