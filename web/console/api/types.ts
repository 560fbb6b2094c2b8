/** What the console's API sends and takes, by the names of the contract. */

export type Lang = 'zh' | 'en'
export type Role = 'viewer' | 'operator' | 'admin'

export interface Me {
  user: string
  role: Role
  /** Empty until the user has chosen one. */
  lang: Lang | ''
  csrf: string | null
}

export interface Page<T> {
  items: T[]
  next: string | null
}

export interface Lease {
  holder: 'agent' | 'task' | 'human'
  label: string
  since: string
  until: string
}

export type DeviceState = 'ready' | 'offline' | 'unauthorized' | 'connecting' | 'sick'

export interface Device {
  serial: string
  hardware_serial: string
  address?: string | null
  alias: string | null
  tags: string[]
  model: string | null
  android: string | null
  state: DeviceState
  reason?: string | null
  since: string
  lease: Lease | null
  battery?: number | null
  width: number
  height: number
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'stopped'

export interface RunState {
  run_id: string
  conv_id: string
  serial: string | null
  mode: string
  status: RunStatus
  step: number
  max_steps: number
}

export interface RunSnapshot {
  running: boolean
  run: RunState | null
  runs: RunState[]
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  calls: number
  cached_tokens?: number | null
  cost?: number | null
}

export interface Failure {
  code: string
  message: string
  hint?: string | null
}

export interface StepRecord {
  n: number
  tool: string
  args: Record<string, unknown>
  ok: boolean
  ms: number
  text?: string | null
  image?: string | null
}

export interface RunRecord {
  run_id: string
  conv_id: string
  serial: string | null
  mode: string
  status: RunStatus
  step: number
  max_steps: number
  created: string
  ended: string | null
  steps: StepRecord[]
}

export interface Message {
  id: number | string
  role: 'user' | 'assistant'
  content: string
  created: string
  run_id?: string | null
  usage?: Usage | null
  reasoning?: string | null
  stopped?: boolean | null
  verified?: boolean | null
  error?: Failure | null
  steps?: number | null
  ms?: number | null
}

export interface ConversationItem {
  id: string
  title: string
  serial: string | null
  created: string
  updated: string
  tokens: number
}

export interface Conversation extends ConversationItem {
  messages: Message[]
  next: number | null
}

export interface AgentConfig {
  agent_api_base: string
  agent_model: string
  agent_api_key: string
  agent_default_serial: string
  agent_max_steps: number
  agent_provider: string
  agent_slots: number
  agent_autonomy: string
  agent_vision: string
  providers: string[]
}

export interface ConfigTest {
  ok: boolean
  provider: string
  model?: string | null
  ms?: number | null
  error?: Failure | null
}

/** What is in front on a phone, and how its live picture does. */
export interface DeviceInfo {
  package: string
  activity: string
  fps: number
  source: string
  width: number
  height: number
}

/** One message of `/api/events`. */
export interface Envelope {
  topic: string
  event: string
  id?: number
  // the shape depends on topic and event; each reader narrows it
  data: any
}
