/** The shapes of the icons, each as SVG paths in a square of 24 by 24 units. */
const shapes = {
  menu: ["M4 7h16M4 12h16M4 17h16"],
  plus: ["M12 5v14M5 12h14"],
  key: ["M8 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z", "M11.2 12.3L19.5 4", "M16 7.5l2.5 2.5"],
  send: ["M12 19V5", "M6 11l6-6 6 6"],
  stop: ["M7 7h10v10H7z"],
  attach: ["M20 11.5l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8L9.9 17.2a1.7 1.7 0 0 1-2.4-2.4l7.5-7.5"],
  copy: ["M9 9h10v10H9z", "M5 15V5h10"],
  refresh: ["M20 11a8 8 0 1 0-2.3 6.3", "M20 4v7h-7"],
  edit: ["M4 20h4L19 9l-4-4L4 16z", "M13.5 6.5l4 4"],
  trash: ["M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  cross: ["M6 6l12 12M18 6L6 18"],
  pause: ["M9 6v12M15 6v12"],
  down: ["M12 5v14M6 13l6 6 6-6"],
  chevron: ["M9 6l6 6-6 6"],
  thought: ["M9 18h6M10 21h4", "M8 14.5A6 6 0 1 1 16 14.5c-.8.7-1 1.5-1 2.5H9c0-1-.2-1.8-1-2.5z"],
  agent: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M5 20c.5-4 3.3-6 7-6s6.5 2 7 6"],
  team: [
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
    "M2.5 19c.4-3.5 2.8-5.5 6.5-5.5s6.1 2 6.5 5.5",
    "M15.5 4.3a3.5 3.5 0 0 1 0 6.4M18 14c2 .7 3.2 2.4 3.5 5",
  ],
  workflow: ["M4 4h6v6H4zM14 14h6v6h-6z", "M10 7h4a3 3 0 0 1 3 3v4"],
  tool: ["M14.5 6.5a4 4 0 0 0-5.3 5L4 16.7V20h3.3l5.2-5.2a4 4 0 0 0 5-5.3L15 12l-3-3z"],
  code: ["M9 7l-5 5 5 5M15 7l5 5-5 5"],
  branch: ["M4 12h6l5-6h5M10 12l5 6h5"],
  split: ["M12 4v4M5 20v-8h14v8M12 8v4"],
  list: ["M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01"],
  question: ["M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.3-1.5 2.3", "M12 18.5h.01"],
  inbox: ["M4 13l2.5-8h11L20 13v6H4z", "M4 13h4.5c.3 1.8 1.6 3 3.5 3s3.2-1.2 3.5-3H20"],
  bell: ["M6 16c1-1 1-3 1-6a5 5 0 0 1 10 0c0 3 0 5 1 6z", "M10.5 19.5h3"],
  chat: ["M5 5h14v11H10.5L6.5 19.5V16H5z"],
  clock: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 7.5V12l3 2"],
  sun: [
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
    "M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4",
  ],
  moon: ["M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"],
  screen: ["M4 5h16v11H4z", "M9 20h6M12 16v4"],
  file: ["M6 3h8l4 4v14H6z", "M14 3v4h4"],
  link: [
    "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2",
    "M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  ],
  more: [5, 12, 19].map((x) => `M${x + 1} 12a1 1 0 1 0-2 0 1 1 0 0 0 2 0z`),
  search: ["M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z", "M16 16l4.5 4.5"],
  download: ["M12 4v11M7 11l5 5 5-5M5 20h14"],
  warning: ["M12 4l9 16H3z", "M12 10v4M12 17h.01"],
} as const;

/** The name of an icon. */
export type IconName = keyof typeof shapes;

/** An icon beside a text, or in a control with a name. Screen readers ignore it. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      {shapes[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

/** The logo of the page: three masks of a troupe, as overlapping circles. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg class="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <circle cx="16" cy="11" r="8" class="mark-first" />
      <circle cx="10.5" cy="20.5" r="8" class="mark-second" />
      <circle cx="21.5" cy="20.5" r="8" class="mark-third" />
    </svg>
  );
}
