import { useState } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatValue } from "../ui/format.ts";

/** Lines and characters of a text that are shown at first. */
const [firstLines, firstCharacters] = [14, 1400];

/** Characters that are not seen, or that turn the text around them: they are shown by their numbers. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns a text in which all characters can be seen. */
export function toVisible(text: string): string {
  return text.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A value as text: as it is, or as JSON. A long one is shown in part, until it is opened. */
export function ValueView({ value, name }: { value: unknown; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const text = toVisible(formatValue(value));
  const short = text.split("\n").slice(0, firstLines).join("\n").slice(0, firstCharacters);
  const isLong = short.length < text.length;
  return (
    <section class="value" aria-label={name}>
      <header>
        <span class="value-name">{name}</span>
        <CopyButton text={text} name={`Copy: ${name}`} />
      </header>
      {text === "" ? (
        <p class="muted">Empty</p>
      ) : (
        <pre tabIndex={0} dir="auto">
          {isLong && !isOpen ? `${short}…` : text}
        </pre>
      )}
      {isLong && (
        <button type="button" class="show-all" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </section>
  );
}
