import { useState } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, formatValue } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";

/** Lines and characters of a value that are shown at first. */
const [firstLines, firstCharacters] = [14, 1400];

type ValueProps = {
  readonly value: unknown;
  readonly name: string;
  /** True for one of several values that may have the same name: it is then no landmark. */
  readonly isOneOfMany?: boolean;
};

/** A value as text or as JSON. A long value is shown in part until it is opened. */
export function ValueView({ value, name, isOneOfMany = false }: ValueProps) {
  const [isOpen, setOpen] = useState(false);
  const text = toVisible(formatValue(value));
  const short = text.split("\n").slice(0, firstLines).join("\n").slice(0, firstCharacters);
  const isLong = short.length < text.length;
  return (
    <section class="value" aria-label={name} {...(isOneOfMany && { role: "group" as const })}>
      <header>
        <span class="value-name">{name}</span>
        <CopyButton text={text} name={strings.parts.copyNamed(name)} />
      </header>
      {text === "" ? (
        <p class="muted">{strings.parts.empty}</p>
      ) : (
        <pre tabIndex={0} dir="auto">
          {isLong && !isOpen ? `${short}…` : text}
        </pre>
      )}
      {isLong && (
        <button type="button" class="show-all" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? strings.parts.showLess : strings.parts.showAll(formatCount(text.length))}
        </button>
      )}
    </section>
  );
}
