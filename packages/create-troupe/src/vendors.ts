/** A vendor of models that a project can begin with. */
export interface Vendor {
  readonly title: string;
  /** The package of the vendor, and the function that it exports. */
  readonly package: string;
  readonly create: string;
  /** The environment variable without which the project answers with its offline model. */
  readonly variable: string;
  /** The id of the model, or undefined if the environment variable contains the id. */
  readonly model?: string;
}

/** The vendors by the names of `--vendor`. The first is the default. */
export const vendors = {
  openai: {
    title: "OpenAI",
    package: "@troupe/providers-openai",
    create: "openai",
    variable: "OPENAI_API_KEY",
    model: "gpt-6.1-sol",
  },
  anthropic: {
    title: "Anthropic",
    package: "@troupe/providers-anthropic",
    create: "anthropic",
    variable: "ANTHROPIC_API_KEY",
    model: "claude-opus-5-5",
  },
  google: {
    title: "Google",
    package: "@troupe/providers-google",
    create: "google",
    variable: "GOOGLE_API_KEY",
    model: "gemini-3.8-flash",
  },
  ollama: {
    title: "Ollama, on this machine",
    package: "@troupe/providers-ollama",
    create: "ollama",
    variable: "OLLAMA_MODEL",
  },
} as const satisfies Readonly<Record<string, Vendor>>;

/** The name of a vendor. */
export type VendorName = keyof typeof vendors;

/** Returns the text of `src/model.ts`. */
export function modelFile(name: VendorName): string {
  const { title, package: from, create, variable, model }: Vendor = vendors[name];
  const argument = model === undefined ? "name" : `"${model}"`;
  const lookUp = model === undefined ? `const name = process.env["${variable}"];\n` : "";
  const isSet = model === undefined ? "name" : `process.env["${variable}"]`;
  return `import type { ModelProvider } from "@troupe/core";
import { ${create} } from "${from}";
import { offlineModel } from "./offline-model.ts";

${lookUp}/** The model of the agents: that of ${title}, or an offline one that says so while ${variable} is not set. */
export const model: ModelProvider = ${isSet} ? ${create}(${argument}) : offlineModel;
`;
}

/** Returns the text of `.env.example`. */
export function environmentFile(name: VendorName, hasPort: boolean): string {
  const { title, variable, model }: Vendor = vendors[name];
  const what = model === undefined ? "The name of a model that Ollama has pulled" : `A key of ${title}`;
  const port = hasPort ? "\n# The port of the service.\nPORT=3000\n" : "";
  return `# The settings of the project are in .env, which is not committed. .env.example lists them.\n\n# ${what}. Without it an offline model answers.\n${variable}=\n${port}`;
}

/** Returns the sentence that tells how to reach a model instead of the offline one. */
export function adviceOf(name: VendorName): string {
  return `Set ${vendors[name].variable} in .env to reach a language model.`;
}
