import type { RunnableInfo } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import { Icon, Mark } from "../ui/icon.tsx";
import { kinds } from "./runnable-picker.tsx";

type WelcomeProps = {
  readonly title: string;
  readonly runnables: readonly RunnableInfo[] | undefined;
  readonly chosen: RunnableInfo | undefined;
  readonly suggestions: readonly string[];
  readonly onChoose: (runnable: RunnableInfo) => void;
  readonly onSuggestion: (text: string) => void;
};

/** A chat without turns: lets the user choose a runnable and a question. */
export function Welcome({ title, runnables, chosen, suggestions, onChoose, onSuggestion }: WelcomeProps) {
  return (
    <div class="welcome">
      <Mark size={56} />
      <h1>{title}</h1>
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Suggestions">
          {suggestions.map((text) => (
            <li key={text}>
              <button type="button" onClick={() => onSuggestion(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
      {runnables?.length === 0 && <p class="muted">This service has no agents, teams or workflows yet.</p>}
      {kinds.map(({ kind, heading }) => {
        const group = (runnables ?? []).filter((each) => each.kind === kind);
        return group.length === 0 ? null : (
          <section key={kind} class="choices" aria-label={heading}>
            <h2>{heading}</h2>
            <ul>
              {group.map((each) => (
                <li key={each.name}>
                  <Choice runnable={each} isChosen={each === chosen} onChoose={onChoose} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

type ChoiceProps = { runnable: RunnableInfo; isChosen: boolean; onChoose: (runnable: RunnableInfo) => void };

function Choice({ runnable, isChosen, onChoose }: ChoiceProps) {
  const { kind, name, description } = runnable;
  return (
    <button type="button" class="choice" data-kind={kind} aria-pressed={isChosen} onClick={() => onChoose(runnable)}>
      <span class="face">
        <Icon name={kind} size={18} />
      </span>
      <span class="choice-text">
        <span class="choice-name">{plainLine(name)}</span>
        {description !== undefined && <span class="muted">{description}</span>}
      </span>
    </button>
  );
}
