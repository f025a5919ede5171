/** Returns a text of numbered sentences in paragraphs of four, about 13 tokens each. */
export function longText(sentences: number, topic = "The archive"): string {
  const all = Array.from({ length: sentences }, (_, index) => `${topic} keeps page ${index} in a drawer of its own.`);
  return all.map((sentence, index) => sentence + (index % 4 === 3 ? "\n\n" : " ")).join("");
}
