import { getOwn } from "@troupe/core/kit";

type Variables = Readonly<Record<string, string | undefined>>;

/** A model of an Ollama on this machine, and the address of that server. */
export type LocalModel = { readonly modelId: string; readonly baseURL: string };

/** Largest number of models on an Ollama server whose capabilities are requested, newest models first. */
const mostAsked = 5;

/**
 * Finds an Ollama's model that can call tools, at OLLAMA_HOST or the default address. Returns `undefined` if there is
 * none, or after `patienceMs` milliseconds. Never throws. If no server listens, the connection is refused at once.
 */
export async function findOllama(
  { OLLAMA_HOST: host }: Variables,
  { patienceMs = 700 } = {},
): Promise<LocalModel | undefined> {
  const baseURL = toUrl(host || "127.0.0.1:11434");
  if (!URL.canParse(baseURL)) return undefined;
  const signal = AbortSignal.timeout(patienceMs);
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(baseURL + path, { ...init, signal });
    return response.ok ? await response.json() : undefined;
  };
  try {
    const listed = arrayOf(await ask("/api/tags"), "models").map((model) =>
      getOwn(model as Record<string, unknown>, "model"),
    );
    const names = listed.filter((name) => typeof name === "string").slice(0, mostAsked);
    const shown = names.map(
      async (model) => await ask("/api/show", { method: "POST", body: JSON.stringify({ model }) }),
    );
    const abilities = (await Promise.all(shown)).map((model) => arrayOf(model, "capabilities"));
    const modelId = names.find((_, index) => abilities[index]?.includes("tools"));
    return modelId === undefined ? undefined : { modelId, baseURL };
  } catch {
    return undefined;
  }
}

/** Reads OLLAMA_HOST as Ollama does: protocol and port are optional, and 0.0.0.0 means this machine. */
function toUrl(host: string): string {
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`;
  const withPort = /:\d+\/?$/.test(url) ? url : `${url.replace(/\/$/, "")}:11434`;
  return withPort.replace("//0.0.0.0", "//127.0.0.1").replace(/\/$/, "");
}

function arrayOf(value: unknown, name: string): unknown[] {
  const found = typeof value === "object" && value !== null ? getOwn(value as Record<string, unknown>, name) : [];
  return Array.isArray(found) ? found : [];
}
