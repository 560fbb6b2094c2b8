/** The agent's settings as last read; null until then, and for those who may not see them. */
import { ref } from 'vue'

import { api } from '../api/client'
import type { AgentConfig } from '../api/types'
import { mayConfigure } from './session'

export const config = ref<AgentConfig | null>(null)

export function keepConfig(value: AgentConfig): void {
  config.value = value
}

export async function loadConfig(): Promise<void> {
  if (mayConfigure()) keepConfig(await api<AgentConfig>('/api/agent/config'))
}

/** Whether runs go without a model because none was set. */
export function isOffline(): boolean {
  const read = config.value
  return read !== null && (read.agent_provider || (read.agent_model ? 'openai' : 'offline')) === 'offline'
}
