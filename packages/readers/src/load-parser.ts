import { TroupeError } from "@troupe/core";

/** Imports an optional parser. Throws `invalid_config` with a readable message if it is not installed. */
export async function loadParser<Parser>(
  { format, name }: { format: string; name: string },
  load: () => Promise<Parser>,
): Promise<Parser> {
  try {
    return await load();
  } catch (cause) {
    throw missingParser(format, name, cause);
  }
}

/** Makes the error for a format whose parser is not installed. */
export function missingParser(format: string, name: string, cause?: unknown): TroupeError {
  const message = `Reading ${format} needs the package ${name}. Install it: npm install ${name}`;
  return new TroupeError("invalid_config", message, { cause });
}
