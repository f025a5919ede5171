import type { chartsInEnglish, overviewInEnglish, schedulesInEnglish, sharesInEnglish } from "./en-views.ts";

const units = {
  day: ["Jeden Tag", "Tage"],
  hour: ["Jede Stunde", "Stunden"],
  minute: ["Jede Minute", "Minuten"],
  second: ["Jede Sekunde", "Sekunden"],
  millisecond: ["Jede Millisekunde", "Millisekunden"],
} as const;

/** The texts of the schedules in German. */
export const schedulesInGerman: typeof schedulesInEnglish = {
  none: "Sie haben keine Zeitpläne. Ein Zeitplan stellt zu seinen Zeiten eine Frage für Sie.",
  new: "Neuer Zeitplan",
  removeAsk: "Entfernen …",
  next: "Nächstes Mal:",
  last: "Letztes Mal:",
  resume: "Fortsetzen",
  pause: "Anhalten",
  daily: "Jeden Tag",
  weekly: "Jede Woche",
  interval: "In einem Abstand",
  once: "Einmal",
  byCron: "Nach einem Cron-Ausdruck",
  inputOrEmpty: "Eingabe: Text oder JSON (darf leer sein)",
  question: "Was gefragt wird",
  zone: "Die Zeiten gelten in der Zeitzone",
  create: "Zeitplan anlegen",
  cancel: "Abbrechen",
  when: "Wann",
  dateAndTime: "Datum und Uhrzeit",
  cron: "Cron-Ausdruck",
  on: "Am",
  at: "Um",
  every: "Alle",
  unit: "Einheit",
  noQuestion: "Geben Sie ein, was gefragt wird.",
  noInterval: "Geben Sie für den Abstand eine ganze Zahl von 1 bis 99999 ein.",
  noDate: "Wählen Sie ein Datum und eine Uhrzeit in der Zukunft.",
  noCron: "Geben Sie einen Cron-Ausdruck ein.",
  noTime: "Wählen Sie eine Uhrzeit.",
  units: { seconds: "Sekunden", minutes: "Minuten", hours: "Stunden", days: "Tage" },
  everyUnit: (count, unit) => (count === 1 ? units[unit][0] : `Alle ${count} ${units[unit][1]}`),
  everyDayAt: (time) => `Jeden Tag um ${time}`,
  everyWeekdayAt: (weekday, time) => `Jeden ${weekday} um ${time}`,
  weekdays: ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
  status: { active: "aktiv", paused: "angehalten", ended: "beendet" },
  outcome: { begun: "begonnen", skipped: "ausgelassen", missed: "verpasst", failed: "gescheitert" },
};

/** The texts of the overview in German. */
export const overviewInGerman: typeof overviewInEnglish = {
  title: "Überblick",
  missing: "Der Überblick konnte nicht geladen werden. Laden Sie die Seite neu.",
  period: "Zeitraum",
  lastDays: (count) => (count === 2 ? "Heute und gestern" : `Letzte ${count} Tage`),
  none: "In dieser Zeit gab es keine Läufe.",
  newest: (count) => `Dies sind die neuesten ${count} Läufe.`,
  runs: "Läufe",
  errors: "Fehler",
  half: "Die Hälfte in",
  most: "95 % in",
};

/** The texts of links to chats in German. */
export const sharesInGerman: typeof sharesInEnglish = {
  title: "Per Link teilen",
  all: "Geteilte Links",
  share: "Per Link teilen",
  new: "Neuer Link",
  lead: "Wer den Link hat, kann diesen Chat lesen, wie er jetzt ist, bis der Link endet. Dateien, Schlüssel und spätere Fragen werden nicht gezeigt.",
  endsAfter: "Endet nach",
  days: (count) => (count === 1 ? "1 Tag" : `${count} Tagen`),
  tools: "Zeigen, was Werkzeuge getan haben",
  toolsHint: "Ihre Argumente und Ergebnisse. Sonst werden Werkzeuge nur genannt.",
  create: "Link erstellen",
  address: "Adresse des Links",
  copy: "Link kopieren",
  once: "Die Adresse wird nur jetzt gezeigt. Kopieren Sie sie.",
  links: "Lesbare Links",
  none: "Kein Link ist lesbar.",
  made: (day) => `Erstellt am ${day}`,
  ends: (day) => `endet am ${day}`,
  withTools: "mit Werkzeugen",
  revoke: "Widerrufen",
  revokeNamed: (link) => `Widerrufen: ${link}`,
  missing: "Die Links konnten nicht geladen werden. Laden Sie die Seite neu.",
  sharedChat: "Geteilter Chat",
  readOnly: (day) => `So war er am ${day}. Der Link`,
  more: "Mehr von diesem Chat",
  gone: "Dieser Link ist abgelaufen oder wurde widerrufen. Bitten Sie um einen neuen.",
};

/** The texts of charts in German. */
export const chartsInGerman: typeof chartsInEnglish = {
  label: (name, series) => `Diagramm: ${name}. ${series}`,
  asTable: "Werte als Tabelle",
  point: "Punkt",
};
