// What the server and the page say to each other, as JSON. Times are Unix seconds, but an entry's are microseconds.
// tests/unit/channels/web/test_protocol.py compares it with the server's own classes.

export interface Place {
  chat: string;
  topic: string | null;
}

export interface Step {
  id: string;
  title: string;
  status: "pending" | "running" | "done" | "failed";
  details: string;
  output: string;
  sources: { url: string; title: string }[];
}

export interface FileRef {
  id: string;
  name: string;
  mime: string;
  size: number;
  kind: string;
}

export interface Option {
  id: string;
  label: string;
}

export interface Question {
  id: string;
  prompt: string;
  options: Option[];
  may_edit: boolean;
  may_respond: boolean;
  kind: string;
  action: string;
  arguments: string;
}

export interface Entry {
  id: string;
  role: "user" | "agent";
  pos: number;
  text: string;
  reply_to: string;
  steps: Step[];
  files: FileRef[];
  question: Question | null;
  asks: number;
  final: boolean;
  edited: number;
  edit: string;
  withdrawn: boolean;
  waits: boolean;
  rateable: boolean;
  rating: "up" | "down" | null;
  suggestions: string[];
}

export interface Topic {
  id: string;
  title: string;
  about: string;
  created: number;
  updated: number;
}

export interface Chat {
  id: string;
  title: string;
  named: boolean;
  created: number;
  updated: number;
  topics: Topic[];
  waiting: { entry: string; topic: string | null }[];
}

export interface Command {
  name: string;
  summary: string;
  language: string;
}

export interface Hello {
  user: { name: string };
  commands: Command[];
  max_upload: number;
  edits: boolean;
}

export interface Chats {
  conversations: Chat[];
  growing: { id: string; chat: string; topic: string | null }[];
}

export interface Page {
  entries: Entry[];
  growing: Entry[];
  before: string;
}

interface Spoken {
  id: string;
  topic: string | null;
  language: string;
}

export interface NewMessage extends Spoken {
  text: string;
  files: string[];
  zone: string;
}

export interface Edit extends Spoken {
  text: string;
  zone: string;
}

export interface Decision extends Spoken {
  question: string;
  option: string;
  text: string;
}

// Every call resolves to the answer's JSON or throws a Problem.
export interface Api {
  hello(): Promise<Hello>;
  conversations(): Promise<Chats>;
  rename(chat: string, topic: string | null, title: string): Promise<Chat>;
  startTopic(chat: string, topic: string, title: string, about: string): Promise<Chat>;
  remove(chat: string, topic: string | null): Promise<void>;
  messages(chat: string, topic: string | null, before?: string): Promise<Page>;
  post(chat: string, message: NewMessage): Promise<Entry>;
  edit(chat: string, message: string, changed: Edit): Promise<Entry>;
  withdraw(chat: string, topic: string | null, message: string): Promise<Entry>;
  stop(chat: string, topic: string | null, id: string, language: string): Promise<void>;
  decide(chat: string, pressed: Decision): Promise<{ text: string }>;
  discard(file: string): Promise<void>;
  fileUrl(file: string): string;
}

export interface NewFact {
  content: string;
  category: string;
  confidence?: number;
}

export interface Fact extends NewFact {
  id: string;
  createdAt: string;
  source: string;
  shared?: boolean; // said where others listen
  subject?: string; // who it is about, where that is not the person
  until?: string; // a year, month, day or time: it held until then
  lastConfirmedAt?: string;
  origin?: { conversation?: string; link?: string };
}

interface Summary {
  summary: string;
}

// A person's memory, of which the page shows this much.
export interface Memory {
  user: Record<string, Summary>; // by topic
  history: Record<string, Summary>;
  facts: Fact[];
}

export interface FoundFacts {
  facts: string[];
}

export interface MemoryState {
  on: boolean;
  waiting: number;
  damaged: string;
  secrets: number;
  orders: number;
  unsaid: number;
}

export interface ToldFact {
  id: string;
  content: string;
  reason: "words" | "correction" | "always" | "sure";
  words: string[];
}

export interface Told {
  known: boolean;
  facts: ToldFact[];
  others: number;
}

interface ImportCounts {
  added: number;
  known: number;
  left_out: number;
  shortened: number;
  secrets: number;
}

export interface ImportPreview extends ImportCounts {
  facts: string[];
}

export interface Imported extends ImportCounts {
  data: Memory;
}

export interface Undone {
  result: "done" | "nothing" | "forgotten";
  data: Memory;
}

export interface MemoryStatus {
  config: { categories: string[] };
  data: Memory;
  person?: MemoryState;
}

// The first set-up; parley/console/api/setup_state.py has the server's classes.
export interface SetupKey {
  key: string;
  variable: string;
  secret: boolean;
  given: boolean;
}

export interface SetupPlatform {
  name: string;
  title: string;
  by_qr: boolean;
  keys: SetupKey[];
  steps: string[];
  rights: string;
  greet: string;
  accepted: boolean;
  connected: boolean;
  found: string;
  lacking: string[];
  admin: string;
}

export interface SetupScan {
  channel: string;
  url: string;
  rows: string[];
}

export interface SetupWait {
  channel: string;
  ready: boolean;
  user: string;
  name: string;
  text: string;
}

export interface SetupAgent {
  kind: string;
  name: string;
}

export interface SetupState {
  open: boolean;
  platforms: SetupPlatform[];
  agents: SetupAgent[];
  agent: SetupAgent | null;
  agent_answer: string;
  scan: SetupScan | null;
  wait: SetupWait | null;
  problem: string;
  changes: string[];
  written: string[];
}
