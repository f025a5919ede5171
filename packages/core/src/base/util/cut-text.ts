/**
 * Returns a text, or the beginning of a longer text with a mark at its end. The result has at most `longest` UTF-16
 * units and never ends in half a surrogate pair.
 */
export function cutText(text: string, longest: number, mark = ""): string {
  if (text.length <= longest) return text;
  const end = longest - mark.length;
  const isWithinCharacter = (text.codePointAt(end - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isWithinCharacter ? end - 1 : end) + mark;
}
