/** Patterns for statements about oneself that are worth remembering, each with the form in which it is noted. */
const statements: readonly (readonly [said: RegExp, note: (...words: string[]) => string])[] = [
  [/\b[Mm]y name is (\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?)/u, (name) => `Is called ${name}`],
  [/\bI(?:['’]m| am) (?!sorry|sure|afraid|fine|here|going|looking|not sure)([^.!?;,]+)/iu, (what) => `Is ${what}`],
  [/\bI (live|work|study|stay) ((?:in|at|for|as|near|with) [^.!?;,]+)/iu, (verb, where) => `${third(verb)} ${where}`],
  [
    /\bI (like|love|prefer|hate|need|play|speak|own|drink|eat|avoid|collect) ((?!to (?:know|see)\b)[^.!?;,]+)/iu,
    (verb, what) => `${third(verb)} ${what}`,
  ],
  [/\bI (?:do not|don['’]t) (like|eat|drink|speak) ([^.!?;,]+)/iu, (verb, what) => `Does not ${verb} ${what}`],
  [/\bI have ((?:an?|two|three|\d+|no) [^.!?;,]+)/iu, (what) => `Has ${what}`],
  [/\bmy (favou?rite [^.!?;,]+? is [^.!?;,]+)/iu, (what) => `Their ${what}`],
  [/\bI(?:['’]m| am) allergic to ([^.!?;,]+)/iu, (what) => `Is allergic to ${what}`],
];

/**
 * Finds the facts that a user states about themselves in a record of a conversation. Each becomes a sentence in the
 * third person.
 */
export function findFacts(record: string): string[] {
  const said = record
    .split("\n")
    .flatMap(
      (line) =>
        /^- user: (.*)$/.exec(line)?.[1]?.split(/(?<=[.!?])\s+|,? (?:(?:and|but) )?(?<=[ ,])(?=(?:I|my)\b)/i) ?? [],
    );
  const facts = said
    .filter((sentence) => !sentence.trim().endsWith("?"))
    .flatMap((sentence) => {
      for (const [pattern, note] of statements) {
        const [found, ...words] = pattern.exec(sentence) ?? [];
        if (found !== undefined) return [`${note(...words.map((word) => word.trim()))}.`];
      }
      return [];
    });
  return [...new Set(facts)];
}

function third(verb: string): string {
  const said = verb.toLowerCase();
  const written = said === "study" ? "studies" : `${said}s`;
  return written.charAt(0).toUpperCase() + written.slice(1);
}
