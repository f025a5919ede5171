/** A text that is read as Markdown, and is to be seen as it stands: no markup, no picture, no link. */
export function plainText(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&#|~]/g, "\\$&").replaceAll(/\b(https?|www)(?=[:.])/gi, "$1\u{200b}");
}
