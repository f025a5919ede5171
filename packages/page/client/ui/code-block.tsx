import { CopyButton } from "./copy-button.tsx";
import { strings } from "../strings/strings.ts";

type CodeProps = {
  readonly language?: string;
  readonly text: string;
  /** The text to copy if only part of it is shown. @default the text */
  readonly whole?: string;
};

/** Code with its language, and a button that copies it. */
export function CodeBlock({ language = "", text, whole = text }: CodeProps) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton text={whole} name={strings.parts.copyCode} />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
