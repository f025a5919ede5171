/** Patterns that find strings of a form, such as e-mail addresses, in a text. */
const forms: Readonly<Record<string, RegExp>> = {
  email: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu,
  uri: /https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/g,
  uuid: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi,
  "date-time": /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g,
  time: /\b(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\b/g,
  phone: /(?<![\w-])\+?\d[\d ()/-]{5,}\d\b/g,
};

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const isoDate = /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/;
const writtenDate = new RegExp(
  String.raw`\b(?:(\d{1,2})(?:st|nd|rd|th|\.)? (${months.join("|")})[a-z]*|(${months.join("|")})[a-z]* (\d{1,2})(?:st|nd|rd|th)?)\b,?(?: (\d{4}))?`,
  "i",
);

/**
 * Finds the strings of a form in a text, such as all e-mail addresses. For the form `date`, finds at most one, as
 * `2026-05-03`.
 */
export function findInForm(text: string, form: string): string[] {
  if (form === "date") return findDate(text);
  const pattern = Object.hasOwn(forms, form) ? forms[form] : undefined;
  return pattern === undefined ? [] : (text.match(pattern) ?? []);
}

function findDate(text: string): string[] {
  const [iso] = isoDate.exec(text) ?? [];
  if (iso !== undefined) return [iso];
  const [written, before, month, otherMonth, after, year] = writtenDate.exec(text) ?? [];
  if (written !== undefined) {
    const number = months.indexOf((month ?? otherMonth ?? "").slice(0, 3).toLowerCase()) + 1;
    return [toDate(Number(year ?? new Date().getFullYear()), number, Number(before ?? after))].filter((date) =>
      isoDate.test(date),
    );
  }
  const days = [/\btoday\b|\btonight\b/i, /\btomorrow\b/i].findIndex((word) => word.test(text));
  if (days < 0) return [];
  const date = new Date(Date.now() + days * 86_400_000);
  return [toDate(date.getFullYear(), date.getMonth() + 1, date.getDate())];
}

function toDate(...[year, month, day]: [year: number, month: number, day: number]): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

const quotes = /"([^"\n]+)"|“([^”\n]+)”|«([^»\n]+)»|(?<!\w)'([^'\n]{2,})'(?!\w)/gu;

/** Finds the texts in quotation marks. */
export function findQuoted(text: string): string[] {
  return [...text.matchAll(quotes)].map((found) => found.slice(1).find((quoted) => quoted !== undefined) ?? "");
}

/** Finds a value after its name: "Company: Acme Ltd" or "the order number is 4711". */
export function findLabelled(text: string, name: string): string | undefined {
  const label = new RegExp(String.raw`(?<![\p{L}\p{N}])${spoken(name)}\s*(?::|=|\bis\b|\bare\b)\s*([^\n;]+)`, "iu");
  const value = label
    .exec(text)?.[1]
    ?.split(/[.!?](?:\s|$)|, (?:and|my|the|our|his|her|its)\b/u)[0]
    ?.trim();
  return value === "" ? undefined : value;
}

/** Finds a code after its name, or a code with digits: "order 4711", "ticket number AB-12". */
export function findCode(text: string, name: string): string | undefined {
  const subject = name.replace(/[_-]?(?:id|number|no|code|key)$/i, "");
  const named =
    subject !== "" &&
    new RegExp(
      String.raw`(?<!\p{L})${spoken(subject)}\s*(?:number|no\.?|id|code|key|#|:)*\s*#?([\w-]*\d[\w-]*)`,
      "iu",
    ).exec(text);
  return (named || undefined)?.[1] ?? /#([\w-]+)/.exec(text)?.[1] ?? /\b(?:[A-Z]+-?\d[\w-]*|\d{3,})\b/.exec(text)?.[0];
}

/** Finds a number beside its name or unit: "for 2 people", "brightness to 40". */
export function findNamedNumber(text: string, name: string): number | undefined {
  const word = spoken(name);
  const number = String.raw`(-?\d+(?:\.\d+)?)`;
  const before = new RegExp(String.raw`${number}\s*(?:\p{L}+ )?${word}`, "iu").exec(text)?.[1];
  const after = new RegExp(String.raw`${word}\w*\s*(?:of|is|to|at|:|=)?\s*${number}`, "iu").exec(text)?.[1];
  const found = before ?? after;
  return found === undefined ? undefined : Number(found);
}

/** Finds the items of a list after its name or a colon: "items: bread, milk and eggs". */
export function findList(text: string, name: string): string[] {
  const listed = findLabelled(text, name) ?? /:\s*([^\n:]+(?:,| and )[^\n:.]+)/u.exec(text)?.[1] ?? "";
  return listed
    .split(/,\s*(?:and\s+)?|\s+and\s+|\s*;\s*/u)
    .map((item) => item.trim().replace(/[.!?]$/, ""))
    .filter((item) => item !== "");
}

/**
 * Returns true if a text affirms the thing with this name, false if it denies the thing, and `undefined` if it does not
 * mention the thing.
 */
export function isYes(text: string, name: string): boolean | undefined {
  const mention = new RegExp(
    String.raw`(\b(?:no|not|without|don['’]?t|doesn['’]?t|never|un)\s*(?:\w+ )?)?(?<!\p{L})${spoken(name)}`,
    "iu",
  ).exec(text);
  return mention === null ? undefined : mention[1] === undefined;
}

/** Returns a pattern for the name of a field as people write it: `orderNumber` and `order_number` as "order number". */
function spoken(name: string): string {
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(/[\s_-]+/);
  return words
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, "").replace(/(?<=\p{L}{3})s$/u, "s?"))
    .join(String.raw`[\s_-]*`);
}
