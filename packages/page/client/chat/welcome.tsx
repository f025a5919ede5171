import type { RunnableInfo } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import type { Suggestion } from "./find-runnables.ts";
import { strings } from "../strings/strings.ts";

type WelcomeProps = {
  readonly heading: string;
  /** The agents, teams and workflows that the user can ask. Undefined until they are loaded. */
  readonly runnables: readonly RunnableInfo[] | undefined;
  readonly chosen: RunnableInfo | undefined;
};

/** The head of a chat without turns: a heading, and the runnable that will answer. */
export function Welcome({ heading, runnables, chosen }: WelcomeProps) {
  return (
    <div class="welcome">
      <h1>{heading}</h1>
      {runnables?.length === 0 && <p class="muted">{strings.welcome.empty}</p>}
      {chosen?.description !== undefined && <p class="muted">{plainLine(chosen.description)}</p>}
    </div>
  );
}

type SuggestionsProps = {
  readonly suggestions: readonly Suggestion[];
  readonly onSuggestion: (suggestion: Suggestion) => void;
};

/** Questions to begin a chat with. */
export function Suggestions({ suggestions, onSuggestion }: SuggestionsProps) {
  if (suggestions.length === 0) return null;
  return (
    <ul class="suggestions" aria-label={strings.welcome.suggestions}>
      {suggestions.map((suggestion) => (
        <li key={suggestion.text}>
          <button type="button" onClick={() => onSuggestion(suggestion)}>
            {plainLine(suggestion.text.replaceAll("\n", ", "))}
          </button>
        </li>
      ))}
    </ul>
  );
}
