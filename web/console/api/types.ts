/**
 * The API's types by short names, from the generated `schema.d.ts` (`npm run types`).
 *
 * Where the description says only "a string" or "more may come", the words of the contract are
 * put in its place; nothing else is typed here a second time.
 */
import type { components } from './schema'

type Schemas = components['schemas']
/** A schema without "and anything else", so that a misspelt name is an error here. */
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] }
type Narrow<Name extends keyof Schemas, More> = Omit<Known<Schemas[Name]>, keyof More> & More

export type Lang = 'zh' | 'en'
export type Role = 'viewer' | 'operator' | 'admin'
type DeviceState = 'ready' | 'offline' | 'unauthorized' | 'connecting' | 'sick'
type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'stopped'

export type User = Narrow<'UserShown', { role: Role }>
export type Login = Known<Schemas['SessionShown']>
export type Token = Narrow<'TokenShown', { role: Role }>
export type Experience = Known<Schemas['ExperienceShown']>
export type Review = Known<Schemas['ReviewShown']>
export type ReviewState = Known<Schemas['ReviewState']>
export type Action = Known<Schemas['ActionShown']>
export type EarnedDay = Known<Schemas['EarnedDay']>
export type RememberedApp = Known<Schemas['RememberedApp']>
export type MemoryFigures = Known<Schemas['MemoryFigures']>
export type MemoryBrought = Known<Schemas['Brought']>
export type Deed = Known<Schemas['AuditShown']>
export type Examined = Known<Schemas['Examined']>

/** `lang` is empty until the user has chosen one. */
export type Me = Narrow<'Me', { role: Role; lang: Lang | '' }>
export type Lease = Narrow<'LeaseShown', { holder: 'agent' | 'task' | 'human' }>
export type Device = Narrow<'DeviceShown', { state: DeviceState; lease: Lease | null }>
export type DevicePage = Narrow<'DevicePage', { items: Device[] }>
export type Input = Partial<Schemas['Input']> & Pick<Schemas['Input'], 'type'>

export type RunState = Narrow<'LiveRun', { status: RunStatus }>
export type RunSnapshot = Narrow<'Snapshot', { run: RunState | null; runs: RunState[] }>
export type Proposal = Known<Schemas['ProposalShown']>
export type RunStarted = Known<Schemas['RunStarted']>
export type RunRecord = Narrow<'RunDetail', { status: RunStatus; steps: StepRecord[] }>

export type ConversationItem = Known<Schemas['ConversationFound']>
export type ConversationPage = Narrow<'ConversationPage', { items: ConversationItem[] }>
export type Cost = Known<Schemas['Cost']>
export type Conversation = Narrow<'ConversationDetail', { messages: Message[]; costs: Cost[] }>
export type RunLog = Narrow<'EventPage', { items: LogEntry[] }>

export type AgentConfig = Narrow<'ConfigShown', { agent_prices: Record<string, Price> }>
export type ModelProfile = Known<Schemas['ProfileShown']>
export type Price = Partial<Schemas['Price']> & Pick<Schemas['Price'], 'input' | 'output' | 'currency'>
export type ConfigTest = Narrow<'TestResult', { error: Failure | null }>

export type Storage = Known<Schemas['StorageShown']>
export type ProviderState = Narrow<'ProviderState', { error: Failure | null; caps: Record<string, boolean> }>
export type Rule = Narrow<'RuleShown', { effect: 'allow' | 'ask' }>

/** A file with a message; `gone` when only its name is still kept. */
export type Attached = Known<Schemas['AttachmentShown']> & { gone?: boolean }

export type TaskStatus = 'queued' | 'running' | 'success' | 'partial' | 'failed' | 'stopped' | 'needs_human'
export type TaskValue = string | number | boolean
export type TaskTargets = Partial<Known<Schemas['Targets']>>
export type TaskPolicy = Partial<Known<Schemas['Policy']>>
export type TaskSchedule = Partial<Known<Schemas['Schedule']>>

/** What of a task a person writes. */
export interface TaskSpec {
  name: string
  steps: ({ type: string } & Record<string, unknown>)[]
  inputs: Record<string, TaskValue | null>
  rows: Record<string, TaskValue>[]
  targets: TaskTargets
  schedule: TaskSchedule | null
  policy: TaskPolicy
}

/** Steps that an exploration or a run proposes, with what came of doing them once. */
export type Draft = Narrow<
  'DraftShown',
  {
    draft: Pick<TaskSpec, 'name' | 'steps' | 'inputs'> | null
    warnings: string[]
    replay: {
      ok: boolean
      steps: { n: number; path: string; status: 'ok' | 'failed' | 'stopped'; ms?: number; said?: string; error?: Failure }[]
    } | null
  }
>

export type TaskGroup = Narrow<'GroupShown', { counts: Partial<Record<TaskStatus, number>> }>
export type Task = Narrow<'TaskShown', TaskSpec & { last: TaskGroup | null }>
export type TaskPage = Narrow<'TaskPage', { items: Task[] }>
export type GroupStarted = Known<Schemas['GroupStarted']>
export type TaskRun = Narrow<'TaskRunShown', { status: TaskStatus; error: Failure | null }>
export type TaskStep = Narrow<'TaskStepShown', { error?: Failure | null }>
export type TaskRunDetail = Narrow<'TaskRunDetail', { status: TaskStatus; error: Failure | null; steps: TaskStep[] }>
export type MatrixCell = Narrow<'MatrixCell', { status: TaskStatus; error: Failure | null }>
export type Matrix = Narrow<'Matrix', { cells: MatrixCell[]; counts: Partial<Record<TaskStatus, number>> }>
export type Revision = Known<Schemas['RevisionShown']>
export type RevisionWhole = Narrow<'RevisionWhole', { task: TaskSpec }>
export type Difference = Known<Schemas['Difference']>
export type Differences = Narrow<'Differences', { items: Difference[] }>

/** What is on a phone's screen, with the selectors that find each thing. */
export type ScreenElement = Known<Schemas['ElementShown']>
export type ScreenElements = Narrow<'ElementsShown', { elements: ScreenElement[] }>
export type SelectorRank = Known<Schemas['SelectorRank']>

/** A stored message; an answer also says how its run went. */
export type Message = Narrow<
  'MessageShown',
  {
    id: number | string
    role: 'user' | 'assistant'
    attachments?: Attached[] | null
    /** The run whose prompt an edit put in its place. */
    replaced_by?: string | null
    usage?: Usage | null
    reasoning?: string | null
    stopped?: boolean | null
    verified?: boolean | null
    error?: Failure | null
    /** It was added to a run that ended without having read it. */
    missed?: boolean | null
    /** How a run that broke off can be done again. */
    again?: ('resume' | 'restart')[] | null
    steps?: number | null
    ms?: number | null
    /** What was remembered for the run. */
    told?: StepRecord[] | null
    /** What was learned from the run, once it was. */
    learned?: StepRecord | null
  }
>

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  calls: number
  cached_tokens?: number
  cost?: number
  currency?: string
}

export interface Failure {
  code: string
  message: string
  hint?: string | null
}

/** One event of a run's log. */
export type LogEntry = Pick<Envelope, 'event' | 'data'>

/** The payload of a `step` event. */
export interface StepRecord {
  n: number
  tool: string
  args: Record<string, unknown>
  ok: boolean
  ms: number
  text?: string
  image?: string
  /** Where a finger came down, as fractions of the screen, and where a swipe ended. */
  at?: [number, number]
  to?: [number, number]
  /** How the screen was before the act; the same address as `image` where nothing changed. */
  before?: string
  status?: 'ok' | 'error' | 'denied' | 'aborted'
  started?: string
}

/** What is in front on a phone, and how its live picture does. */
export interface DeviceInfo {
  package: string
  activity: string
  fps: number
  source: string
  missing: string
  width: number
  height: number
  rotation: number
}

/** One message of `/api/events`. */
export interface Envelope {
  topic: string
  event: string
  id?: number
  // the shape depends on topic and event; each reader narrows it
  data: any
}
