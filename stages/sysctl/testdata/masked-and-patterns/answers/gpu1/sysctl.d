file /etc/sysctl.d/50-pid-max.conf
file /usr/lib/sysctl.d/50-pid-max.conf
file /usr/lib/sysctl.d/50-default.conf
/usr/lib/sysctl.d/50-pid-max.conf:1:kernel.pid_max = 4194304
/usr/lib/sysctl.d/50-default.conf:1:net.ipv4.conf.*.rp_filter = 2
/usr/lib/sysctl.d/50-default.conf:2:-net.ipv4.conf.eth1.rp_filter
end
