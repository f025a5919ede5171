import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { strings } from "../strings/strings.ts";

type CopyState = "ready" | "copied" | "refused";

/** A place with several copy buttons gives them texts (`words`) beside their icons. */
type CopyProps = { readonly text: string; readonly name: string; readonly words?: string };

/** A button that copies a text, and reports success or the browser's refusal. */
export function CopyButton({ text, name, words }: CopyProps) {
  const [state, setState] = useState<CopyState>("ready");
  useEffect(() => {
    if (state === "ready") return undefined;
    const timer = setTimeout(() => setState("ready"), state === "copied" ? 2000 : 6000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => void copyText(text).then(setState);
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={copy}
        aria-label={state === "copied" ? strings.parts.copied : name}
        title={name}
      >
        <Icon name={state === "copied" ? "check" : "copy"} size={16} />
        {words !== undefined && <small>{words}</small>}
      </button>
      {state === "refused" && (
        <span class="refused" role="alert">
          {isSecureContext ? strings.parts.noCopy : strings.parts.noCopyPlain}
        </span>
      )}
    </>
  );
}

async function copyText(text: string): Promise<CopyState> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "refused";
  }
}
