/** Returns a function that finds texts with each word of a query, in any case and without regard to accents. */
export function matchWords(query: string): (text: string) => boolean {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return (text) => {
    const folded = fold(text);
    return words.every((word) => folded.includes(word));
  };
}

function fold(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLocaleLowerCase();
}
