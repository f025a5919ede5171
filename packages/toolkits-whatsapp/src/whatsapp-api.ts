import { cleanText, readCredential, Service } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import type { RunContext } from "@troupe/core";
import { readEnvironment, readObject, readObjects, readText } from "@troupe/core/kit";
import { explainGraphError } from "./graph-errors.ts";
import { isPhoneNumberId, isVersion } from "./read-options.ts";
import type { WhatsAppSettings } from "./read-options.ts";

/** The name of the service in errors. */
const serviceName = "WhatsApp";

/**
 * The default version of the Graph API: the newest when this was written. The API redirects or refuses calls with an
 * expired version.
 */
const defaultVersion = "v25.0";

/** A message to send: its recipient, its type, and the JSON for that type. */
export type OutgoingMessage = {
  readonly to: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A message that WhatsApp has accepted but not yet delivered. */
export type AcceptedMessage = { messageId: string; to: string; status: string; note: string };

/** Sends messages from one phone number through the WhatsApp Cloud API. */
export class WhatsAppApi {
  readonly #service: Service;
  readonly #settings: WhatsAppSettings;

  constructor(settings: WhatsAppSettings) {
    this.#settings = settings;
    this.#service = new Service({ name: serviceName, timeoutMs: settings.timeoutMs, network: settings });
  }

  /**
   * Sends a message with one request, which is never repeated. If the answer is lost, the error says that the message
   * may have been sent.
   */
  async send({ to, type, body }: OutgoingMessage, { signal }: RunContext): Promise<AcceptedMessage> {
    const { accessToken: given, baseURL } = this.#settings;
    const path = `${this.#version()}/${this.#phoneNumberId()}/messages`;
    const answer = await this.#service.call(signal, async (ask) => {
      const environment = ["WHATSAPP_ACCESS_TOKEN"];
      const token = await readCredential({ service: serviceName, option: "accessToken", given, environment, signal });
      const reply = await ask({
        url: `${baseURL}/${path}`,
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ messaging_product: "whatsapp", recipient_type: "individual", to, type, [type]: body }),
        secrets: [token],
        lostAnswerAdvice: "Ask the user whether it has arrived before you send it again.",
      });
      const value = reply.requireOk(explainGraphError).json();
      const messageId = readText(readObjects(readObject(value)["messages"])[0]?.["id"]);
      if (messageId === "") throw reply.unexpected();
      return readObject(value);
    });
    return toAccepted(answer, to);
  }

  #phoneNumberId(): string {
    const id = this.#settings.phoneNumberId ?? readEnvironment("WHATSAPP_PHONE_NUMBER_ID")?.value;
    if (isPhoneNumberId(id)) return id;
    throw new TroupeError(
      "invalid_config",
      id === undefined
        ? "WhatsApp needs the id of the number that sends. Pass phoneNumberId or set WHATSAPP_PHONE_NUMBER_ID."
        : "The environment variable WHATSAPP_PHONE_NUMBER_ID must be a string of 1 to 30 digits, the id of the number that sends.",
    );
  }

  #version(): string {
    const version = this.#settings.version ?? readEnvironment("WHATSAPP_VERSION")?.value ?? defaultVersion;
    if (isVersion(version)) return version;
    throw new TroupeError(
      "invalid_config",
      'The environment variable WHATSAPP_VERSION must be a version such as "v25.0".',
    );
  }
}

function toAccepted(answer: Readonly<Record<string, unknown>>, to: string): AcceptedMessage {
  const message = readObjects(answer["messages"])[0] ?? {};
  return {
    messageId: cleanText(message["id"], 200),
    to: cleanText(readObjects(answer["contacts"])[0]?.["wa_id"], 40) || to,
    status: cleanText(message["message_status"], 40) || "accepted",
    note: "WhatsApp has accepted the message. That is no proof that it was delivered.",
  };
}
