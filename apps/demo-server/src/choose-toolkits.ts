import { readFile } from "node:fs/promises";
import { TroupeError } from "@troupe/core";
import type { ToolSource } from "@troupe/core";
import { readListVariable, readVariable, requireBeside } from "./read-variable.ts";
import type { Form, Variables } from "./read-variable.ts";

/** A toolkit, and its name for the banner and the descriptions of agents. */
export type Toolkit = { readonly tools: ToolSource; readonly shown: string };

/** The toolkits whose credentials are in the environment. */
export type Toolkits = { readonly webSearch?: Toolkit; readonly gmail?: Toolkit; readonly whatsApp?: Toolkit };

/** The environment variables that enable toolkits. Tests unset them, so that no test sends messages to real people. */
export const toolkitVariables = [
  "TAVILY_API_KEY",
  "SERPAPI_API_KEY",
  "BRAVE_API_KEY",
  "BRAVE_SEARCH_API_KEY",
  "EXA_API_KEY",
  "GMAIL_TOKEN_PATH",
  "GMAIL_CREDENTIALS_PATH",
  "GMAIL_ALLOWED_RECIPIENTS",
  "WHATSAPP_ACCESS_TOKEN",
  "WHATSAPP_PHONE_NUMBER_ID",
  "WHATSAPP_RECIPIENT_WAID",
  "WHATSAPP_VERSION",
  "WHATSAPP_ALLOWED_RECIPIENTS",
] as const;

/** URLs at which the toolkits' services are called instead of their own URLs, such as the URLs of a gateway. */
export type ToolkitAddresses = { readonly webSearch?: string; readonly gmail?: string; readonly whatsApp?: string };

/** The web search services in the order in which their keys are looked up. */
const searchServices = [
  { provider: "tavily", shown: "Tavily", keys: ["TAVILY_API_KEY"] },
  { provider: "serpapi", shown: "SerpAPI", keys: ["SERPAPI_API_KEY"] },
  { provider: "brave", shown: "Brave", keys: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"] },
  { provider: "exa", shown: "Exa", keys: ["EXA_API_KEY"] },
] as const;

const key: Form = { pattern: /^[\x21-\x7e]+$/, expected: "a key: ASCII characters without spaces" };
const mailRecipient: Form = {
  pattern: /^[^\s@]*@[^\s@]+$/,
  expected: "mail addresses or @domains, with commas between",
};
const path: Form = { pattern: /./, expected: "the path of a file" };
const phone: Form = {
  pattern: /^\+?[\d\s.()-]{7,25}$/,
  expected: "a phone number with its country code, such as +15551234567",
};
const phones: Form = { ...phone, expected: "phone numbers with their country codes, with commas between" };
const phoneId: Form = { pattern: /^\d{1,30}$/, expected: "the id of the number that sends, which is all digits" };
const version: Form = { pattern: /^v\d{1,3}\.\d{1,2}$/, expected: 'a version of the Graph API, such as "v25.0"' };

/**
 * Creates the toolkits whose credentials are in the environment, and imports only their packages. Throws
 * `invalid_config` for a variable with a wrong value, and for a variable that needs another variable that is not set.
 * The message names the variable and shows no value.
 */
export async function chooseToolkits(variables: Variables, addresses: ToolkitAddresses = {}): Promise<Toolkits> {
  const webSearch = await chooseWebSearch(variables, addresses.webSearch);
  const gmail = await chooseGmail(variables, addresses.gmail);
  const whatsApp = await chooseWhatsApp(variables, addresses.whatsApp);
  return { ...(webSearch && { webSearch }), ...(gmail && { gmail }), ...(whatsApp && { whatsApp }) };
}

async function chooseWebSearch(variables: Variables, baseURL?: string): Promise<Toolkit | undefined> {
  for (const { provider, shown, keys } of searchServices) {
    const apiKey = keys.map((name) => readVariable(variables, name, key)).find((value) => value !== undefined);
    if (apiKey === undefined) continue;
    const { WebSearchToolkit } = await import("@troupe/toolkits-web-search");
    const tools = new WebSearchToolkit({ provider, apiKey, baseURL, maxResults: 5, timeoutMs: 8000 });
    return { tools, shown: `web search with ${shown}` };
  }
  return undefined;
}

/**
 * Creates the Gmail toolkit. It sends only to listed recipients, because the agent reads mails, and a mail may instruct
 * it to forward others.
 */
async function chooseGmail(variables: Variables, baseURL?: string): Promise<Toolkit | undefined> {
  requireBeside(variables, "GMAIL_TOKEN_PATH", ["GMAIL_CREDENTIALS_PATH", "GMAIL_ALLOWED_RECIPIENTS"]);
  const tokenPath = await readJsonPath(variables, "GMAIL_TOKEN_PATH");
  const credentialsPath = await readJsonPath(variables, "GMAIL_CREDENTIALS_PATH");
  const allowedRecipients = readListVariable(variables, "GMAIL_ALLOWED_RECIPIENTS", mailRecipient);
  if (tokenPath === undefined) return undefined;
  const { GmailToolkit } = await import("@troupe/toolkits-gmail");
  const enableSend = allowedRecipients !== undefined;
  const tools = new GmailToolkit({ tokenPath, credentialsPath, allowedRecipients, enableSend, baseURL });
  return {
    tools,
    shown: `Gmail, which sends ${enableSend ? `to ${allowedRecipients.join(" and ")} alone` : "nothing"}`,
  };
}

async function chooseWhatsApp(variables: Variables, baseURL?: string): Promise<Toolkit | undefined> {
  const [tokenName, idName] = ["WHATSAPP_ACCESS_TOKEN", "WHATSAPP_PHONE_NUMBER_ID"];
  const optional = ["WHATSAPP_RECIPIENT_WAID", "WHATSAPP_VERSION", "WHATSAPP_ALLOWED_RECIPIENTS"];
  requireBeside(variables, tokenName, [idName, ...optional]);
  requireBeside(variables, idName, [tokenName]);
  const accessToken = readVariable(variables, tokenName, key);
  if (accessToken === undefined) return undefined;
  const options = {
    accessToken,
    phoneNumberId: readVariable(variables, idName, phoneId),
    version: readVariable(variables, "WHATSAPP_VERSION", version),
    recipientWaid: readVariable(variables, "WHATSAPP_RECIPIENT_WAID", phone),
    allowedRecipients: readListVariable(variables, "WHATSAPP_ALLOWED_RECIPIENTS", phones),
  };
  const { WhatsAppToolkit } = await import("@troupe/toolkits-whatsapp");
  return { tools: new WhatsAppToolkit({ ...options, baseURL }), shown: "WhatsApp" };
}

/**
 * Reads the path of a JSON file from a variable, and tests whether the file can be read. The toolkit reads it again
 * when its tools are called.
 */
async function readJsonPath(variables: Variables, name: string): Promise<string | undefined> {
  const file = readVariable(variables, name, path);
  if (file === undefined) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text !== undefined && isJsonObject(text)) return file;
  const sentence = `${name} must be the path of a JSON file that this process can read. The README of @troupe/toolkits-gmail says how to make it.`;
  throw new TroupeError("invalid_config", sentence);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
