/** Something this model has heard of: how people ask for it, and which words tell that a tool or a member is for it. */
export type Topic = { readonly asked: RegExp; readonly served: RegExp };

const topics: readonly Topic[] = [
  {
    asked:
      /weather|forecast|umbrella|rain|snow|sunny|temperature|\b(?:cold|warm|hot)\b|\b(?:trip|travel|visit|pack)\b/i,
    served: /weather|forecast/i,
  },
  { asked: /\btime\b|\bclock\b|\bdate\b|\bwhat day\b/i, served: /\b(?:time|clock|date)\b/i },
  {
    asked: /\d\s*[-+*/×÷^%x]\s*[(\d]|\d\s*(?:plus|minus|times|divided by|multiplied by)\b|\b(?:calculate|compute)\b/i,
    served: /calculat|arithmetic|\bmaths?\b/i,
  },
  { asked: /\bsearch\b|\blook up\b|\bgoogle\b/i, served: /\bsearch/i },
  { asked: /\bnews\b|\bheadlines\b|\bstories\b/i, served: /\bnews|\bstories\b/i },
];

/** What a text asks for. */
export function topicsOf(text: string): Topic[] {
  return topics.filter(({ asked }) => asked.test(text));
}

/** How well something with this name and description serves the topic: 0 is not at all. */
export function serves({ served }: Topic, name: string, description: string): number {
  const spokenName = name.replace(/[_-]+/g, " ");
  return (served.test(spokenName) ? 2 : 0) + (served.test(description) ? 1 : 0);
}
