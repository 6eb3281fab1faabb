export { accessListModel } from "./access-list.js";
export { aliasModel } from "./alias.js";
export { hashKey, issueKey, keyModel } from "./key.js";
export { oneToOneModel, outboundMappingModel, portForwardModel } from "./nat.js";
export { hashPassword, isPassword } from "./password.js";
export { openvpnClientModel, openvpnServerModel, staticRouteModel } from "./routing.js";
export { ruleModel } from "./rule.js";
export { AUTH_METHODS, type AuthMethod, outboundModeFields, settingsFields } from "./settings.js";
export { userModel } from "./user.js";
