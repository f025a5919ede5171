import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A button that copies a text, and says so. */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void copyText(text).then(setCopied);
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={isCopied ? "Copied" : name} title={name}>
      <Icon name={isCopied ? "check" : "copy"} size={16} />
    </button>
  );
}

/** Copies a text. Browsers refuse on pages without HTTPS. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
