import { ApiError, GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import type { SdkAnswer, SdkClient, SdkSetup } from "./sdk-client.ts";

const asked = {
  model: "gemini-3.8-flash",
  contents: [{ role: "user", parts: [{ text: "hello?" }] }],
  config: { thinkingConfig: { includeThoughts: true } },
};

/** Google's library with the Gemini API. */
export function createGoogleClient({ url, key }: SdkSetup): SdkClient {
  const httpOptions = { baseUrl: url };
  return createClient("google", new GoogleGenAI({ enterprise: false, apiKey: key, apiVersion: "v1beta", httpOptions }));
}

/** Google's library with Google Cloud. */
export function createVertexClient({ url, key }: SdkSetup): SdkClient {
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${key}` }) };
  const options = { enterprise: true, project: "p", location: "us-central1", apiVersion: "v1beta1" };
  const googleAuthOptions = { authClient } as unknown as Record<string, never>;
  return createClient("vertex", new GoogleGenAI({ ...options, googleAuthOptions, httpOptions: { baseUrl: url } }));
}

function createClient(name: string, client: GoogleGenAI): SdkClient {
  return {
    name,
    whole: async () => fromResponses([await client.models.generateContent(asked)]),
    streamed: async () => {
      const responses: GenerateContentResponse[] = [];
      for await (const one of await client.models.generateContentStream(asked)) responses.push(one);
      return fromResponses(responses);
    },
    open: (abortSignal) => client.models.generateContentStream({ ...asked, config: { ...asked.config, abortSignal } }),
    embed: async (texts) => {
      const contents = texts.map((text) => ({ role: "user", parts: [{ text }] }));
      const { embeddings } = await client.models.embedContent({ model: "gemini-embedding-001", contents });
      return (embeddings ?? []).map(({ values }) => values ?? []);
    },
    readError: (error) => {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, retryAfter: /"retryDelay":"(\d+)s"/.exec(error.message)?.[1] };
    },
  };
}

function fromResponses(responses: readonly GenerateContentResponse[]): SdkAnswer {
  const parts = responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const usage = responses.at(-1)?.usageMetadata;
  return {
    text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
    thinking: parts.map(({ text, thought }) => (thought === true ? (text ?? "") : "")).join(""),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", arguments: functionCall.args }],
    ),
    usage: {
      promptTokens: usage?.promptTokenCount ?? 0,
      completionTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    },
  };
}
