/** Mount the console on the shell's `#app`. */
import { createApp } from 'vue'

import App from './App.vue'

createApp(App).mount('#app')
