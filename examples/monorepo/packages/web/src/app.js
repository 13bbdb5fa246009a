export const App = () => t("welcome");
