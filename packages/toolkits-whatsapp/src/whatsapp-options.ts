import type { NetworkOptions } from "@troupe/core";

/** Options of a `WhatsAppToolkit`. Some of them default to environment variables. */
export type WhatsAppOptions = NetworkOptions & {
  /**
   * The token of the WhatsApp Cloud API, or a function that returns it for each call of a tool. @default
   * WHATSAPP_ACCESS_TOKEN
   */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /** The id of the sending phone number: digits, not the number itself. @default WHATSAPP_PHONE_NUMBER_ID */
  phoneNumberId?: string | undefined;
  /** The version of the Graph API. @default WHATSAPP_VERSION, or "v25.0" */
  version?: string | undefined;
  /** The recipient of messages whose call names none. @default WHATSAPP_RECIPIENT_WAID */
  recipientWaid?: string | undefined;
  /** Gives the agent `whatsapp_send_text`. @default true */
  enableSendText?: boolean | undefined;
  /** Gives the agent `whatsapp_send_template`. @default true */
  enableSendTemplate?: boolean | undefined;
  /** The numbers that the tools may send to, in addition to `recipientWaid`. @default any */
  allowedRecipients?: readonly string[] | undefined;
  /** Milliseconds that one call of a tool may take. @default 15000 */
  timeoutMs?: number | undefined;
  /** The address of the API. @default "https://graph.facebook.com" */
  baseURL?: string | undefined;
};
