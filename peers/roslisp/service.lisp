;;; Service and client over nav_msgs/GetMap. A call blocks: the thread that the kit calls on waits
;;; for the answer. Back to back, the kit asks for the next call from inside the report of the
;;; answer; it is made after that report has returned, so that the stack does not grow.

(in-package :roslisp-peer)

(defun ros-time (ns)
  "Times are reals in roslisp; a ratio is exact until it is serialized."
  (/ ns 1000000000))

(defun nanoseconds (time)
  (round (* (rational time) 1000000000)))

(defun make-map (data stamp-loaded stamp-sent)
  (make-instance
   'nav_msgs-msg:OccupancyGrid
   :header (make-instance 'std_msgs-msg:Header :frame_id "main_frame" :stamp stamp-sent)
   :info (make-instance 'nav_msgs-msg:MapMetaData :map_load_time stamp-loaded :resolution 1.0 :width 1024
                                                  :height 768)
   :data data))

(defun serve-map ()
  (let ((data (peer-kit:map-data (peer-kit:job-number "payload_bytes"))))
    (roslisp:register-service-fn
     (peer-kit:job-text "service")
     (lambda (request)
       (declare (ignore request))
       (let ((t2 (peer-kit:now)) (t3 (peer-kit:now)))
         (peer-kit:served 0 t2 t3)
         (roslisp:make-response 'nav_msgs-srv:GetMap :map (make-map data (ros-time t2) (ros-time t3)))))
     'nav_msgs-srv:GetMap)
    nil))

(defun call-once (token call)
  (let ((response (handler-case (funcall call)
                    (error () nil)))
        (t4 (peer-kit:now)))
    (if (null response)
        (peer-kit:unanswered token)
        (let* ((map (nav_msgs-srv:map response))
               (loaded (nav_msgs-msg:map_load_time (nav_msgs-msg:info map)))
               (sent (std_msgs-msg:stamp (nav_msgs-msg:header map))))
          (peer-kit:answered token (nanoseconds loaded) (nanoseconds sent) t4
                             (not (peer-kit:map-is-intact (nav_msgs-msg:data map))))))))

(defun use-map ()
  (let* ((name (peer-kit:job-text "service"))
         (persistent (equal (peer-kit:job-setting "connection" "persistent") "persistent"))
         (service nil) (calling nil) (next nil))
    (flet ((call ()
             (if persistent
                 (roslisp:call-persistent-service service)
                 (roslisp:call-service name 'nav_msgs-srv:GetMap))))
      (list :matched (lambda ()
                       (and (roslisp:wait-for-service name 0)
                            (or (not persistent)
                                (setf service (make-instance 'roslisp:persistent-service
                                                             :service-name name
                                                             :service-type 'nav_msgs-srv:GetMap)))
                            t))
            :call (lambda (token t1)
                    (declare (ignore t1))
                    (setf next token)
                    (unless calling
                      (setf calling t)
                      (unwind-protect
                           (loop while next
                                 do (let ((token next))
                                      (setf next nil)
                                      (call-once token #'call)))
                        (setf calling nil))))))))

(defun make-service ()
  (if (equal (peer-kit:job-text "role") "server") (serve-map) (use-map)))
